// SPDX-License-Identifier: Apache-2.0
#include "server/model/joined_errors.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <string_view>

#include <boost/unordered/unordered_flat_set.hpp>

namespace berth::server {

std::string JoinErrors(const std::vector<std::string>& errors) {
  boost::unordered_flat_set<std::string_view> told;
  std::vector<std::string_view> distinct;
  for (const std::string_view error : errors) {
    if (told.insert(error).second) distinct.push_back(error);
  }
  if (distinct.size() == 1) return errors.front();
  return distinct.empty() ? "" : fmt::format("[{}]", fmt::join(distinct, ", "));
}

}  // namespace berth::server
