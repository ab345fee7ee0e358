// SPDX-License-Identifier: Apache-2.0
#include "server/patch/merge_patch.h"

#include <utility>

namespace berth::server {
namespace {

void Merge(Json& object, Json& patch) {
  for (Json::Member& change : patch.mutable_members()) {
    if (change.value.is_null()) {
      object.Erase(change.name);
      continue;
    }
    Json& current = object.Make(change.name);
    if (current.is_map() && change.value.is_map()) {
      Merge(current, change.value);
      continue;
    }
    // What replaces a map keeps its nulls.
    if (!current.is_map()) DropNulls(change.value);
    current = std::move(change.value);
  }
}

}  // namespace

void DropNulls(Json& value) {
  if (value.is_list()) {
    for (Json& item : value.mutable_items()) DropNulls(item);
  }
  if (!value.is_map()) return;
  std::erase_if(value.mutable_members(), [](const Json::Member& member) { return member.value.is_null(); });
  for (Json::Member& member : value.mutable_members()) DropNulls(member.value);
}

Outcome<Json> ApplyMergePatch(Json object, Json patch) {
  if (!patch.is_map() && !patch.is_list()) return BadRequest("Invalid JSON Patch");
  if (patch.is_list() || !object.is_map()) {
    DropNulls(patch);
    return patch;
  }
  Merge(object, patch);
  return object;
}

}  // namespace berth::server
