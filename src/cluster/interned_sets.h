// SPDX-License-Identifier: Apache-2.0
// InternedSets: equal values kept once, under dense ids that are counted and reused.
//
// Used for the taints and the labels of nodes, so that a question about them is answered once per distinct set.

#pragma once

#include <cstdint>
#include <map>
#include <vector>

namespace berth::cluster {

template <class T, class Less>
class InternedSets {
 public:
  uint32_t Acquire(const T& value) {
    auto [it, inserted] = ids_.try_emplace(value, 0);
    if (inserted) {
      if (free_.empty()) {
        it->second = static_cast<uint32_t>(entries_.size());
        entries_.emplace_back();
      } else {
        it->second = free_.back();
        free_.pop_back();
      }
      entries_[it->second] = {&it->first, 0};
    }
    ++entries_[it->second].count;
    return it->second;
  }

  void Release(uint32_t id) {
    Entry& entry = entries_[id];
    if (--entry.count > 0) return;
    ids_.erase(ids_.find(*entry.value));
    entry.value = nullptr;
    free_.push_back(id);
  }

  // Ids are below this; unused ones have no value.
  uint32_t id_limit() const { return static_cast<uint32_t>(entries_.size()); }
  const T* value(uint32_t id) const { return entries_[id].value; }
  // Members that use the set.
  uint32_t count(uint32_t id) const { return entries_[id].count; }

 private:
  struct Entry {
    const T* value = nullptr;  // Key in ids_, which is stable.
    uint32_t count = 0;
  };
  std::map<T, uint32_t, Less> ids_;
  std::vector<Entry> entries_;
  std::vector<uint32_t> free_;
};

}  // namespace berth::cluster
