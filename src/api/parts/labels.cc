// SPDX-License-Identifier: Apache-2.0
#include "api/parts/labels.h"

namespace berth::api {

Labels Labels::FromUnsorted(std::vector<Entry> entries) {
  std::stable_sort(entries.begin(), entries.end(), [](const Entry& a, const Entry& b) { return a.first < b.first; });
  Labels labels;
  for (Entry& entry : entries) {
    if (!labels.entries_.empty() && labels.entries_.back().first == entry.first) {
      labels.entries_.back().second = std::move(entry.second);
    } else {
      labels.entries_.push_back(std::move(entry));
    }
  }
  labels.entries_.shrink_to_fit();
  return labels;
}

}  // namespace berth::api
