// SPDX-License-Identifier: Apache-2.0
#include "api/document/json_writer.h"
#include "config/decode.h"

namespace berth::config {

using framework::SourceFormat;

namespace {

void WriteSorted(api::Value value, api::JsonWriter& writer) {
  if (value.is_map()) {
    writer.BeginObject();
    for (const size_t i : ReadingOrder(value, SourceFormat::kYaml)) WriteSorted(value[i], writer.Key(value.key(i)));
    writer.EndObject();
  } else if (value.is_list()) {
    writer.BeginArray();
    for (size_t i = 0; i < value.size(); ++i) WriteSorted(value[i], writer);
    writer.EndArray();
  } else {
    writer.Copy(value);
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
