// SPDX-License-Identifier: Apache-2.0
// Counts: a number for each small id (a node slot, a domain), most of them 0.
//
// Few numbers are kept in a hash table, many in an array, so that the room they take follows how many are not 0.
//
// Thread: core. Cost: constant time per change and lookup; at most about 16 bytes per number that is not 0, and an
// array of 16.

#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <boost/unordered/unordered_flat_map.hpp>

namespace berth::cluster {

class Counts {
 public:
  int32_t of(uint32_t id) const {
    if (!array_.empty()) return id < array_.size() ? array_[id] : 0;
    const auto it = table_.find(id);
    return it == table_.end() ? 0 : it->second;
  }
  // The sum of all.
  int64_t total() const { return total_; }
  // How many are not 0.
  size_t size() const { return size_; }

  void Change(uint32_t id, int32_t amount) {
    if (amount == 0) return;
    total_ += amount;
    id_limit_ = std::max(id_limit_, id + 1);
    ++changes_;
    if (!array_.empty() && id_limit_ > kSmall && size_ < id_limit_ / (4 * kShareOfArray)) MakeTable();
    if (!array_.empty()) {
      ChangeInArray(id, amount);
    } else {
      ChangeInTable(id, amount);
      if (id_limit_ <= kSmall || size_ > id_limit_ / kShareOfArray) MakeArray();
    }
  }
  void Clear() { *this = Counts(); }

  // Calls `visit(id, count)` for each that is not 0, in no particular order.
  void ForEach(auto visit) const {
    for (const auto& [id, count] : table_) visit(id, count);
    for (uint32_t id = 0; id < array_.size(); ++id) {
      if (array_[id] != 0) visit(id, array_[id]);
    }
  }

  // Changes so far: who reads in place can tell whether something has changed.
  uint32_t changes() const { return changes_; }
  size_t bytes() const {
    return array_.capacity() * sizeof(int32_t) + table_.bucket_count() * sizeof(std::pair<uint32_t, int32_t>);
  }

 private:
  static constexpr uint32_t kSmall = 16;        // An array of so many is no matter.
  static constexpr uint32_t kShareOfArray = 4;  // It becomes an array when one in so many is not 0.

  void ChangeInTable(uint32_t id, int32_t amount) {
    const auto it = table_.try_emplace(id, 0).first;
    it->second += amount;
    if (it->second == 0) table_.erase(it);
    size_ = table_.size();
  }
  void ChangeInArray(uint32_t id, int32_t amount) {
    if (id >= array_.size()) array_.resize(id + 1);
    const bool was_zero = array_[id] == 0;
    array_[id] += amount;
    if (was_zero) {
      ++size_;
    } else if (array_[id] == 0) {
      --size_;
    }
  }
  void MakeArray() {
    array_.assign(id_limit_, 0);
    for (const auto& [id, count] : table_) array_[id] = count;
    table_ = decltype(table_)();  // {} would keep the room.
  }
  void MakeTable() {
    for (uint32_t id = 0; id < array_.size(); ++id) {
      if (array_[id] != 0) table_.emplace(id, array_[id]);
    }
    array_ = std::vector<int32_t>();
  }

  boost::unordered_flat_map<uint32_t, int32_t> table_;
  std::vector<int32_t> array_;  // By id; empty: they are in the table.
  size_t size_ = 0;
  int64_t total_ = 0;
  uint32_t id_limit_ = 0;  // Ids that were changed are below this.
  uint32_t changes_ = 0;
};

}  // namespace berth::cluster
