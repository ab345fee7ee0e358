// SPDX-License-Identifier: Apache-2.0
// Operations of JSON patches (RFC 6902) of manifests.

#pragma once

#include <string>
#include <string_view>
#include <utility>

#include "api/document/json_tree.h"

namespace berth::explain {

// A key as it stands in a JSON pointer.
inline std::string PointerToken(std::string_view key) {
  std::string escaped;
  for (const char c : key) {
    if (c == '~') escaped += "~0";
    if (c == '/') escaped += "~1";
    if (c != '~' && c != '/') escaped += c;
  }
  return escaped;
}

inline api::Json Removal(std::string path) {
  return {{"op", api::Json::String("remove")}, {"path", api::Json::String(std::move(path))}};
}
// `op`: add, replace or test.
inline api::Json Operation(std::string_view op, std::string path, api::Json value) {
  return {{"op", api::Json::String(op)}, {"path", api::Json::String(std::move(path))}, {"value", std::move(value)}};
}

}  // namespace berth::explain
