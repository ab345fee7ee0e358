// SPDX-License-Identifier: Apache-2.0
// For tests: trees that are made of others by JSON pointers, as the cases of recordings say (tests/kinds/record.py).

#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "server/model/json.h"

namespace berth::server {

inline std::vector<std::string> SplitPointer(std::string_view pointer) {
  std::vector<std::string> parts;
  for (size_t i = 0; i < pointer.size(); ++i) {
    if (pointer[i] == '/') {
      parts.emplace_back();
    } else if (pointer.substr(i, 2) == "~1") {
      parts.back() += '/';
      ++i;
    } else {
      parts.back() += pointer[i];
    }
  }
  return parts;
}

inline void SetAt(Json& object, std::string_view pointer, const Json& value) {
  const std::vector<std::string> parts = SplitPointer(pointer);
  Json* at = &object;
  for (size_t i = 0; i + 1 < parts.size(); ++i) {
    at = at->is_list() ? &at->mutable_items().at(std::stoul(parts[i])) : &at->Make(parts[i]);
    if (at->is_null()) *at = Json::MakeMap();
  }
  const std::string& last = parts.back();
  if (!at->is_list()) {
    value.is_null() ? static_cast<void>(at->Erase(last)) : at->Set(last, value);
  } else if (last == "-") {
    at->Append(value);
  } else if (value.is_null()) {
    at->mutable_items().erase(at->mutable_items().begin() + std::stol(last));
  } else {
    at->mutable_items().at(std::stoul(last)) = value;
  }
}

inline Json Changed(Json object, const Json& changes) {
  for (const Json::Member& change : changes.members()) SetAt(object, change.name, change.value);
  return object;
}

}  // namespace berth::server
