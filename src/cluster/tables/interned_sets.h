// SPDX-License-Identifier: Apache-2.0
// InternedSets: equal values kept once, under dense ids that are counted and reused.
//
// Used for the taints and the labels of nodes, so that a question about them is answered once per distinct set.

#pragma once

#include <cstdint>
#include <iterator>
#include <map>
#include <memory>
#include <set>
#include <vector>

namespace berth::cluster {

template <class T, class Less>
class InternedSets {
 public:
  uint32_t Acquire(const T& value) {
    auto it = ids_.find(value);
    if (it == ids_.end()) {
      it = ids_.emplace(std::make_shared<const T>(value), NewId()).first;
      entries_[it->second] = {it->first, 0};
    }
    ++entries_[it->second].count;
    return it->second;
  }

  void Release(uint32_t id) {
    Entry& entry = entries_[id];
    if (--entry.count > 0) return;
    ids_.erase(ids_.find(*entry.value));
    entry.value.reset();
    free_.insert(id);
    while (!free_.empty() && *free_.rbegin() + 1 == id_limit()) {
      free_.erase(std::prev(free_.end()));
      entries_.pop_back();
    }
  }

  // Ids are below this; unused ones have no value.
  uint32_t id_limit() const { return static_cast<uint32_t>(entries_.size()); }
  const T* value(uint32_t id) const { return entries_[id].value.get(); }
  // Members that use the set.
  uint32_t count(uint32_t id) const { return entries_[id].count; }
  // Distinct sets in use.
  size_t size() const { return ids_.size(); }

 private:
  using Value = std::shared_ptr<const T>;  // Shared with the entry of its id, and with copies of the table.
  struct Entry {
    Value value;
    uint32_t count = 0;
  };
  struct ValueLess {
    using is_transparent = void;
    bool operator()(const Value& a, const Value& b) const { return Less()(*a, *b); }
    bool operator()(const Value& a, const T& b) const { return Less()(*a, b); }
    bool operator()(const T& a, const Value& b) const { return Less()(a, *b); }
  };

  uint32_t NewId() {
    if (free_.empty()) {
      entries_.emplace_back();
      return static_cast<uint32_t>(entries_.size() - 1);
    }
    const uint32_t id = *free_.begin();
    free_.erase(free_.begin());
    return id;
  }

  std::map<Value, uint32_t, ValueLess> ids_;
  std::vector<Entry> entries_;
  std::set<uint32_t> free_;  // The lowest is used first; the last id is never free.
};

}  // namespace berth::cluster
