// SPDX-License-Identifier: Apache-2.0
// Labels: a small map from string to string, sorted by key.

#pragma once

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace berth::api {

class Labels {
 public:
  using Entry = std::pair<std::string, std::string>;

  Labels() = default;
  Labels(std::initializer_list<Entry> entries) {
    for (const Entry& entry : entries) Set(entry.first, entry.second);
  }

  // The value of `key`, or nullptr.
  const std::string* Find(std::string_view key) const {
    const auto it = LowerBound(key);
    return it != entries_.end() && it->first == key ? &it->second : nullptr;
  }
  bool Has(std::string_view key) const { return Find(key) != nullptr; }

  // The value of `key`, or an empty string.
  std::string_view Get(std::string_view key) const {
    const std::string* value = Find(key);
    return value == nullptr ? std::string_view() : std::string_view(*value);
  }

  void Set(std::string key, std::string value) {
    const auto it = entries_.begin() + (LowerBound(key) - entries_.cbegin());
    if (it != entries_.end() && it->first == key) {
      it->second = std::move(value);
    } else {
      entries_.emplace(it, std::move(key), std::move(value));
    }
  }
  void Remove(std::string_view key) {
    const auto it = LowerBound(key);
    if (it != entries_.end() && it->first == key) entries_.erase(it);
  }

  bool empty() const { return entries_.empty(); }
  size_t size() const { return entries_.size(); }
  auto begin() const { return entries_.begin(); }
  auto end() const { return entries_.end(); }

  // Takes many entries at once: the last of equal keys wins. Cost: one sort instead of many insertions.
  static Labels FromUnsorted(std::vector<Entry> entries);

  bool operator==(const Labels&) const = default;

 private:
  std::vector<Entry>::const_iterator LowerBound(std::string_view key) const {
    return std::lower_bound(entries_.begin(), entries_.end(), key,
                            [](const Entry& entry, std::string_view wanted) { return entry.first < wanted; });
  }

  std::vector<Entry> entries_;
};

}  // namespace berth::api
