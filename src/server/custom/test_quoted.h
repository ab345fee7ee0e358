// SPDX-License-Identifier: Apache-2.0
// Quoted: trees from texts that are written with single quotes.

#pragma once

#include <string>
#include <utility>

#include "api/document/json_tree.h"

namespace berth::server {

inline api::Json Quoted(std::string text) {
  for (char& c : text) c = c == '\'' ? '"' : c;
  return api::ParseTree(text).value_or(api::Json());
}

}  // namespace berth::server
