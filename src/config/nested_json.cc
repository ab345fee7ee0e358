// SPDX-License-Identifier: Apache-2.0
#include <map>

#include "api/json_writer.h"
#include "config/decode.h"

namespace berth::config {
namespace {

void WriteSorted(api::Value value, api::JsonWriter& writer) {
  if (value.is_map()) {
    std::map<std::string_view, api::Value> members;  // The last of equal names stays.
    for (size_t i = 0; i < value.size(); ++i) members[value.key(i)] = value[i];
    writer.BeginObject();
    for (const auto& [name, member] : members) WriteSorted(member, writer.Key(name));
    writer.EndObject();
  } else if (value.is_list()) {
    writer.BeginArray();
    for (size_t i = 0; i < value.size(); ++i) WriteSorted(value[i], writer);
    writer.EndArray();
  } else {
    writer.Raw(value.ToJson());
  }
}

}  // namespace

std::string NestedJson(api::Value value, SourceFormat format) {
  if (format == SourceFormat::kJson) return value.ToJson();
  api::JsonWriter writer;
  WriteSorted(value, writer);
  return writer.Take();
}

}  // namespace berth::config
