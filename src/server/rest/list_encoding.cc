// SPDX-License-Identifier: Apache-2.0
#include "server/rest/list_encoding.h"

#include <cstdint>
#include <numeric>

#include "api/document/json_writer.h"
#include "api/wire/protobuf.h"
#include "server/rest/protobuf_field.h"

namespace berth::server {
namespace {

// What stands before the first member that is not about the kind.
std::string KindPrefix(const Resource& resource) {
  std::string prefix = "{\"kind\":";
  api::AppendQuoted(prefix, resource.kind);
  prefix += ",\"apiVersion\":";
  api::AppendQuoted(prefix, resource.api_version);
  return prefix + ",";
}

size_t VarintSize(uint64_t value) {
  size_t size = 1;
  for (; value >= 0x80; value >>= 7) ++size;
  return size;
}

uint64_t TakeVarint(std::string_view& bytes) {
  uint64_t value = 0;
  for (uint32_t shift = 0; !bytes.empty() && shift < 64; shift += 7) {
    const auto byte = static_cast<uint8_t>(bytes.front());
    bytes.remove_prefix(1);
    value |= uint64_t{byte & 0x7fU} << shift;
    if (byte < 0x80) break;
  }
  return value;
}

// The message in an envelope that this server wrote: its second field.
std::string_view MessageIn(std::string_view envelope) {
  envelope.remove_prefix(api::wire::kMagic.size());
  while (!envelope.empty()) {
    const uint64_t tag = TakeVarint(envelope);
    const size_t size = TakeVarint(envelope);
    if (tag == (2 << 3 | 2)) return envelope.substr(0, size);
    envelope.remove_prefix(std::min(size, envelope.size()));
  }
  return {};
}

std::string EncodeListMeta(const Json& metadata) {
  std::string out;
  AppendField(out, 1, "");  // selfLink
  AppendField(out, 2, metadata["resourceVersion"].text());
  AppendField(out, 3, metadata["continue"].text());
  if (const std::optional<int64_t> remaining = metadata["remainingItemCount"].AsInt()) {
    AppendIntField(out, 4, static_cast<uint64_t>(*remaining));
  }
  return out;
}

// Written by name, as upstream writes what it has no types for; the items say what they are.
std::string EncodeCustomList(const Resource& resource, Json metadata, std::span<const ObjectPtr> objects) {
  metadata.SetDefault("continue", Json::String(""));
  std::string out = "{\"apiVersion\":";
  api::AppendQuoted(out, resource.api_version);
  out += ",\"items\":[";
  for (const ObjectPtr& object : objects) {
    if (out.back() != '[') out += ',';
    out += *object->json();
  }
  out += "],\"kind\":";
  api::AppendQuoted(out, resource.list_kind);
  out += ",\"metadata\":";
  metadata.AppendText(out);
  return out + "}";
}

}  // namespace

std::string EncodeJsonList(const Resource& resource, const Json& metadata, std::span<const ObjectPtr> objects) {
  if (resource.custom != nullptr) return EncodeCustomList(resource, metadata, objects);
  const std::string prefix = KindPrefix(resource);
  std::string out = "{\"kind\":";
  const size_t total =
      std::accumulate(objects.begin(), objects.end(), size_t{256},
                      [](size_t sum, const ObjectPtr& object) { return sum + object->json()->size(); });
  out.reserve(total);
  api::AppendQuoted(out, resource.list_kind);
  out += ",\"apiVersion\":";
  api::AppendQuoted(out, resource.api_version);
  out += ",\"metadata\":";
  metadata.AppendText(out);
  out += ",\"items\":[";
  for (const ObjectPtr& object : objects) {
    if (out.back() != '[') out += ',';
    std::string_view text = *object->json();
    if (text.starts_with(prefix)) {
      out += '{';
      text.remove_prefix(prefix.size());
    }
    out += text;
  }
  return out + "]}";
}

std::string EncodeProtobufList(const Resource& resource, const Json& metadata, std::span<const ObjectPtr> objects) {
  std::string type;
  AppendField(type, 1, resource.api_version);
  AppendField(type, 2, resource.list_kind);
  const std::string list_metadata = EncodeListMeta(metadata);

  // The length of the list is written before it.
  std::vector<Bytes> encoded;
  encoded.reserve(objects.size());
  size_t size = 1 + VarintSize(list_metadata.size()) + list_metadata.size();
  for (const ObjectPtr& object : objects) {
    encoded.push_back(object->protobuf());
    const size_t item = MessageIn(*encoded.back()).size();
    size += 1 + VarintSize(item) + item;
  }
  std::string out;
  out.reserve(size + type.size() + 64);
  out += api::wire::kMagic;
  AppendField(out, 1, type);
  out += static_cast<char>(2 << 3 | 2);
  AppendVarint(out, size);
  AppendField(out, 1, list_metadata);
  for (const Bytes& bytes : encoded) AppendField(out, 2, MessageIn(*bytes));
  AppendField(out, 3, "");
  AppendField(out, 4, "");
  return out;
}

}  // namespace berth::server
