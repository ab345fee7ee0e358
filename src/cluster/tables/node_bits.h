// SPDX-License-Identifier: Apache-2.0
// NodeBits: a set of node slots, one bit each.

#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <span>
#include <vector>

#include "cluster/tables/ids.h"

namespace berth::cluster {

class NodeBits {
 public:
  using Word = uint32_t;

  void Insert(NodeSlot slot) {
    const size_t word = slot.index / kWordBits;
    if (word >= words_.size()) words_.resize(word + 1);
    words_[word] |= Word{1} << slot.index % kWordBits;
  }
  void Erase(NodeSlot slot) {
    const size_t word = slot.index / kWordBits;
    if (word < words_.size()) words_[word] &= ~(Word{1} << slot.index % kWordBits);
  }
  void InsertAll(const NodeBits& other) {
    if (other.words_.size() > words_.size()) words_.resize(other.words_.size());
    for (size_t i = 0; i < other.words_.size(); ++i) words_[i] |= other.words_[i];
  }
  bool Contains(NodeSlot slot) const {
    const size_t word = slot.index / kWordBits;
    return word < words_.size() && (words_[word] >> slot.index % kWordBits & 1) != 0;
  }
  // Calls `visit(NodeSlot)` for each, in the order of slots.
  template <class Visit>
  void ForEach(Visit visit) const {
    for (uint32_t i = 0; i < words_.size(); ++i) {
      for (Word rest = words_[i]; rest != 0; rest &= rest - 1) {
        visit(NodeSlot{i * kWordBits + static_cast<uint32_t>(std::countr_zero(rest))});
      }
    }
  }
  // Bits from the lowest slot on; those behind the end are 0.
  std::span<const Word> words() const { return words_; }

 private:
  static constexpr uint32_t kWordBits = 32;

  std::vector<Word> words_;
};

}  // namespace berth::cluster
