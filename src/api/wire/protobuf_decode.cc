// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <exception>

#include "api/document/document_builder.h"
#include "api/wire/envelope.h"
#include "api/wire/message_decoder.h"
#include "api/wire/protobuf.h"
#include "api/wire/table.h"

namespace berth::api::wire {
namespace {

// What `add` makes of a decoder of `size` bytes.
template <class Add>
Result<Document> Decode(size_t size, const ReadOptions& options, const std::string& name, const Add& add) {
  try {
    DocumentBuilder builder;
    builder.Reserve(size);
    MessageDecoder decoder(builder, options);
    add(decoder);
    return builder.Finish();
  } catch (const std::exception& error) {
    return Invalid(fmt::format("protobuf {}: {}", name, error.what()));
  }
}

Result<Document> DecodeKind(const Kind& kind, std::string_view api_version, std::string_view bytes,
                            const ReadOptions& options) {
  return Decode(bytes.size(), options, fmt::format("{} {}", api_version, kind.kind),
                [&](MessageDecoder& decoder) { decoder.Object(kind, api_version, bytes); });
}

}  // namespace

bool IsProtobuf(std::string_view bytes) { return bytes.starts_with(kMagic); }

Result<Document> ParseProtobuf(std::string_view bytes, const ReadOptions& options) {
  const Envelope envelope = BERTH_TRY(OpenEnvelope(bytes));
  const Kind* const kind = FindKind(envelope.api_version, envelope.kind);
  if (kind == nullptr) return Fail(Code::kNotFound, "protobuf: no such kind: " + envelope.Name());
  return DecodeKind(*kind, envelope.api_version, envelope.message, options);
}

Result<Document> ParseMessage(const Kind& kind, std::string_view bytes, const ReadOptions& options) {
  return DecodeKind(kind, kind.api_version, bytes, options);
}

Result<Document> ParseMessage(const Message& message, std::string_view bytes, const ReadOptions& options) {
  return Decode(bytes.size(), options, std::string(message.name),
                [&](MessageDecoder& decoder) { decoder.OfMessage(message, bytes); });
}

}  // namespace berth::api::wire
