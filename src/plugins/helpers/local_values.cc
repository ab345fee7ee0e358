// SPDX-License-Identifier: Apache-2.0
#include "plugins/helpers/local_values.h"

#include <algorithm>

namespace berth::plugins {

LocalValues::Entry& LocalValues::Find(std::span<const int64_t> need) {
  ++clock_;
  for (const auto& entry : entries_) {
    if (!std::ranges::equal(entry->need, need)) continue;
    entry->last_use = clock_;
    return *entry;
  }
  if (entries_.size() == kEntriesMax) {
    entries_.erase(std::ranges::min_element(entries_, {}, [](const auto& entry) { return entry->last_use; }));
  }
  Entry& made = *entries_.emplace_back(std::make_unique<Entry>());
  made.need.assign(need.begin(), need.end());
  made.last_use = clock_;
  return made;
}

}  // namespace berth::plugins
