// SPDX-License-Identifier: Apache-2.0
// ResourceList: resource name to quantity, sorted by name.

#pragma once

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "api/parts/quantity.h"

namespace berth::api {

class ResourceList {
 public:
  using Entry = std::pair<std::string, Quantity>;

  const Quantity* Find(std::string_view name) const {
    const auto it = LowerBound(name);
    return it != entries_.end() && it->first == name ? &it->second : nullptr;
  }
  void Set(std::string name, Quantity quantity) {
    const auto it = entries_.begin() + (LowerBound(name) - entries_.cbegin());
    if (it != entries_.end() && it->first == name) {
      it->second = std::move(quantity);
    } else {
      entries_.emplace(it, std::move(name), std::move(quantity));
    }
  }

  bool empty() const { return entries_.empty(); }
  size_t size() const { return entries_.size(); }
  auto begin() const { return entries_.begin(); }
  auto end() const { return entries_.end(); }

  bool operator==(const ResourceList&) const = default;

 private:
  std::vector<Entry>::const_iterator LowerBound(std::string_view name) const {
    return std::lower_bound(entries_.begin(), entries_.end(), name,
                            [](const Entry& entry, std::string_view wanted) { return entry.first < wanted; });
  }

  std::vector<Entry> entries_;
};

}  // namespace berth::api
