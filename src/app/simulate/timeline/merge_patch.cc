// SPDX-License-Identifier: Apache-2.0
#include "app/simulate/timeline/merge_patch.h"

#include "api/document/json_writer.h"

namespace berth::simulate {
namespace {

bool HasMember(api::Value map, std::string_view name) {
  for (size_t i = 0; i < map.size(); ++i) {
    if (map.key(i) == name) return true;
  }
  return false;
}

void Write(api::JsonWriter& json, api::Value target, api::Value patch) {
  if (!patch.is_map()) {
    json.Copy(patch);
    return;
  }
  json.BeginObject();
  for (size_t i = 0; target.is_map() && i < target.size(); ++i) {
    if (!HasMember(patch, target.key(i))) json.Key(target.key(i)).Copy(target[i]);
  }
  for (size_t i = 0; i < patch.size(); ++i) {
    const api::Value change = patch[i];
    if (change.is_null()) continue;
    json.Key(patch.key(i));
    Write(json, target.is_map() ? target[patch.key(i)] : api::Value(), change);
  }
  json.EndObject();
}

}  // namespace

std::string MergePatch(api::Value target, api::Value patch) {
  api::JsonWriter json;
  Write(json, target, patch);
  return json.Take();
}

}  // namespace berth::simulate
