// SPDX-License-Identifier: Apache-2.0
// Scores: one plugin's score of every candidate node.
//
// Many plugins give every node the same score for most pods; that is kept as one number. Scores that a plugin keeps by
// node slot are read in place.

#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "cluster/tables/ids.h"

namespace berth::framework {

inline constexpr int64_t kMaxNodeScore = 100;

class Scores {
 public:
  // All `count` nodes get `value`.
  void SetUniform(size_t count, int64_t value) {
    count_ = count;
    form_ = Form::kUniform;
    value_ = value;
  }
  // Makes an array of `count` scores and returns it, contents unspecified: the caller fills it in candidate order.
  std::span<int64_t> MakeArray(size_t count) {
    count_ = count;
    form_ = Form::kArray;
    values_.resize(count);
    return values_;
  }

  // The scores of `nodes` are found in `by_slot`, each 0 to 100. Both must live until the next cycle.
  void SetBySlot(std::span<const cluster::NodeSlot> nodes, const uint8_t* by_slot) {
    count_ = nodes.size();
    form_ = Form::kBySlot;
    nodes_ = nodes.data();
    by_slot_ = by_slot;
  }

  enum class Form : uint8_t { kUniform, kArray, kBySlot };
  Form form() const { return form_; }
  size_t size() const { return count_; }
  int64_t operator[](size_t i) const {
    switch (form_) {
      case Form::kUniform: return value_;
      case Form::kArray: return values_[i];
      case Form::kBySlot: return by_slot_[nodes_[i].index];
    }
    return 0;
  }
  // The parts of each form.
  int64_t uniform_value() const { return value_; }
  std::span<int64_t> values() { return values_; }
  std::span<const int64_t> values() const { return values_; }
  const uint8_t* by_slot() const { return by_slot_; }

 private:
  size_t count_ = 0;
  Form form_ = Form::kUniform;
  int64_t value_ = 0;
  std::vector<int64_t> values_;
  const cluster::NodeSlot* nodes_ = nullptr;
  const uint8_t* by_slot_ = nullptr;
};

// Scales scores so that the largest becomes 100 (upstream's DefaultNormalizeScore): 100*s/max, or all 0 when the
// largest is 0. With `reverse` the result is 100 minus that (all 100 when the largest is 0). REQUIRES: not by slot.
void NormalizeToMax(Scores& scores, bool reverse);

}  // namespace berth::framework
