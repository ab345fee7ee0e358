// SPDX-License-Identifier: Apache-2.0
#include "api/wire/encoded_object.h"

#include <fmt/format.h>

#include <protozero/pbf_reader.hpp>

#include "api/document/json_scan.h"
#include "api/wire/envelope.h"
#include "api/wire/json_fields.h"
#include "api/wire/json_object.h"
#include "api/wire/protobuf.h"
#include "base/assert.h"

namespace berth::api::wire {
namespace {

const JsonField& FieldOf(const Kind& kind, std::string_view name) {
  const JsonField* const field = JsonFields::Of(MessageAt(kind.message)).Find(name);
  BERTH_ASSERT(field != nullptr);
  return *field;
}

bool IsAt(std::string_view text, size_t at, char c) { return at < text.size() && text[at] == c; }

Result<std::vector<EncodedObject>> JsonItems(std::string_view body) {
  const std::string_view list = JsonMember(body, "items");
  if (list == "null") return {};
  if (!list.starts_with('[')) return Invalid("the answer is no list");
  std::vector<EncodedObject> items;
  size_t at = SkipJsonSpace(list, 1);
  while (!IsAt(list, at, ']')) {
    const std::optional<size_t> end = EndOfJsonValue(list, at);
    if (!end || *end == at) return Invalid("the items of the list are no JSON");
    items.push_back({Encoding::kJson, list.substr(at, *end - at)});
    at = SkipJsonSpace(list, *end);
    if (IsAt(list, at, ',')) at = SkipJsonSpace(list, at + 1);
  }
  return items;
}

// The contents of a field, in their order.
Result<std::vector<EncodedObject>> Occurrences(std::string_view message, uint32_t number) {
  std::vector<EncodedObject> found;
  try {
    protozero::pbf_reader reader(message.data(), message.size());
    while (reader.next()) {
      if (reader.tag() != number || !reader.has_wire_type(protozero::pbf_wire_type::length_delimited)) {
        reader.skip();
        continue;
      }
      const protozero::data_view view = reader.get_view();
      found.push_back({Encoding::kProtobuf, {view.data(), view.size()}});
    }
  } catch (const protozero::exception& error) {
    return Invalid(std::string("protobuf: ") + error.what());
  }
  return found;
}

}  // namespace

Result<Document> ReadObject(const EncodedObject& object, const Kind& kind, const ReadOptions& options) {
  if (object.encoding == Encoding::kProtobuf) return ParseMessage(kind, object.bytes, options);
  return ParseJsonObject(object.bytes, MessageAt(kind.message), options);
}

Result<Document> ReadMetadata(const EncodedObject& object, const Kind& kind, const ReadOptions& options) {
  const JsonField& field = FieldOf(kind, "metadata");
  if (object.encoding == Encoding::kJson) {
    return ParseJsonObject(JsonMember(object.bytes, field.name), field.message(), options);
  }
  const std::vector<EncodedObject> found = BERTH_TRY(Occurrences(object.bytes, field.field->number));
  return ParseMessage(field.message(), found.empty() ? std::string_view() : found.back().bytes, options);
}

Result<EncodedList> CutList(Encoding encoding, std::string_view body, const Kind& kind) {
  const Kind* const list_kind = FindKind(kind.api_version, kind.list_kind);
  BERTH_ASSERT(list_kind != nullptr);
  EncodedObject whole{encoding, body};
  EncodedList list;
  if (encoding == Encoding::kProtobuf) {
    const Envelope envelope = BERTH_TRY(OpenEnvelope(body));
    if (envelope.kind != kind.list_kind) {
      return Invalid(fmt::format("the answer is no {}, but {}", kind.list_kind, envelope.Name()));
    }
    whole.bytes = envelope.message;
    list.items = BERTH_TRY(Occurrences(whole.bytes, FieldOf(*list_kind, "items").field->number));
  } else {
    list.items = BERTH_TRY(JsonItems(body));
  }
  const Document metadata = BERTH_TRY(ReadMetadata(whole, *list_kind));
  list.resource_version = metadata.root()["resourceVersion"].text();
  list.continue_token = metadata.root()["continue"].text();
  return list;
}

}  // namespace berth::api::wire
