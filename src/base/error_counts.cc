// SPDX-License-Identifier: Apache-2.0
#include "base/error_counts.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

namespace berth {

std::string JoinErrors(std::span<const std::string> errors) {
  std::vector<std::string_view> distinct;
  for (const std::string& error : errors) {
    if (std::ranges::find(distinct, error) == distinct.end()) distinct.push_back(error);
  }
  if (distinct.empty()) return {};
  return distinct.size() == 1 ? std::string(distinct[0]) : fmt::format("[{}]", fmt::join(distinct, ", "));
}

void ErrorCounts::Add(std::string_view message) {
  auto found = counts_.find(message);
  if (found == counts_.end()) found = counts_.emplace(message, 0).first;
  ++found->second;
}

std::string ErrorCounts::ToString() const {
  std::vector<std::string> errors;
  for (const auto& [message, count] : counts_) {
    errors.push_back(count == 1 ? message : fmt::format("{} (repeated {} times)", message, count));
  }
  return JoinErrors(errors);
}

}  // namespace berth
