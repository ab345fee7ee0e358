// SPDX-License-Identifier: Apache-2.0
#include "api/document/repeated_keys.h"

#include <fmt/format.h>

#include <set>
#include <string_view>

namespace berth::api {

void FindRepeatedKeys(Value value, std::vector<std::string>& errors) {
  std::set<std::string_view> seen;
  for (size_t i = 0; i < value.size(); ++i) {
    if (value.is_map() && !seen.insert(value.key(i)).second) {
      const std::string where = value[i].line() > 0 ? fmt::format("line {}: ", value[i].line()) : "";
      errors.push_back(fmt::format("{}key \"{}\" already set in map", where, value.key(i)));
    }
    FindRepeatedKeys(value[i], errors);
  }
}

}  // namespace berth::api
