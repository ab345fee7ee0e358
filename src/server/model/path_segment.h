// SPDX-License-Identifier: Apache-2.0
// Names that need only fit into a URL as one segment of its path.

#pragma once

#include <fmt/format.h>

#include <string_view>

#include "server/model/value_rules.h"

namespace berth::server {

// A prefix will have something behind it. See value_rules.h.
inline Problems CheckPathSegment(std::string_view name, bool is_prefix = false) {
  if (!is_prefix && (name == "." || name == "..")) return {fmt::format("may not be '{}'", name)};
  Problems problems;
  for (const char c : {'/', '%'}) {
    if (name.find(c) != name.npos) problems.push_back(fmt::format("may not contain '{}'", c));
  }
  return problems;
}

}  // namespace berth::server
