// SPDX-License-Identifier: Apache-2.0
#include <exception>
#include <protozero/pbf_reader.hpp>

#include "api/document_builder.h"
#include "api/wire/message_decoder.h"
#include "api/wire/protobuf.h"
#include "api/wire/table.h"
#include "api/wire/tree.h"

namespace berth::api::wire {
namespace {

using protozero::pbf_reader;

// What stands around the message of a kind.
struct Envelope {
  std::string_view api_version;
  std::string_view kind;
  std::string_view raw;
  std::string_view content_encoding;
  std::string_view content_type;
};

std::string_view TakeEnvelopeBytes(pbf_reader& reader) {
  if (!reader.has_wire_type(protozero::pbf_wire_type::length_delimited)) {
    throw Malformed("a field of the envelope has the wrong wire type");
  }
  const protozero::data_view view = reader.get_view();
  return {view.data(), view.size()};
}

void ReadTypeMeta(std::string_view bytes, Envelope& envelope) {
  pbf_reader reader(bytes.data(), bytes.size());
  while (reader.next()) {
    switch (reader.tag()) {
      case 1: envelope.api_version = TakeEnvelopeBytes(reader); break;
      case 2: envelope.kind = TakeEnvelopeBytes(reader); break;
      default: reader.skip();
    }
  }
}

Envelope ReadEnvelope(std::string_view bytes) {
  Envelope envelope;
  pbf_reader reader(bytes.data(), bytes.size());
  while (reader.next()) {
    switch (reader.tag()) {
      case 1: ReadTypeMeta(TakeEnvelopeBytes(reader), envelope); break;
      case 2: envelope.raw = TakeEnvelopeBytes(reader); break;
      case 3: envelope.content_encoding = TakeEnvelopeBytes(reader); break;
      case 4: envelope.content_type = TakeEnvelopeBytes(reader); break;
      default: reader.skip();
    }
  }
  return envelope;
}

std::string NameOf(const Envelope& envelope) {
  std::string scratch;
  const std::string name = std::string(envelope.api_version) + " " + std::string(envelope.kind);
  return std::string(AsUtf8(name, scratch));
}

}  // namespace

bool IsProtobuf(std::string_view bytes) { return bytes.starts_with(kMagic); }

Result<Document> ParseProtobuf(std::string_view bytes, const ProtobufOptions& options) {
  if (!IsProtobuf(bytes)) return Invalid("not an object in protobuf form");
  Envelope envelope;
  try {
    envelope = ReadEnvelope(bytes.substr(kMagic.size()));
    if (!envelope.content_encoding.empty() || !envelope.content_type.empty()) {
      throw Malformed("the object in the envelope has another encoding");
    }
    const Kind* const kind = FindKind(envelope.api_version, envelope.kind);
    if (kind == nullptr) return Fail(Code::kNotFound, "protobuf: no such kind: " + NameOf(envelope));
    DocumentBuilder builder;
    builder.Reserve(envelope.raw.size());
    MessageDecoder(builder, options).Object(*kind, envelope.api_version, envelope.raw);
    return builder.Finish();
  } catch (const std::exception& error) {
    return Invalid("protobuf " + NameOf(envelope) + ": " + error.what());
  }
}

}  // namespace berth::api::wire
