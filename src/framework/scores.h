// SPDX-License-Identifier: Apache-2.0
// Scores: one plugin's score of every candidate node.
//
// Many plugins give every node the same score for most pods; that is kept as one number.

#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace berth::framework {

inline constexpr int64_t kMaxNodeScore = 100;

class Scores {
 public:
  // All `count` nodes get `value`.
  void SetUniform(size_t count, int64_t value) {
    count_ = count;
    uniform_ = true;
    value_ = value;
  }
  // Makes an array of `count` scores and returns it, contents unspecified: the caller fills it in candidate order.
  std::span<int64_t> MakeArray(size_t count) {
    count_ = count;
    uniform_ = false;
    values_.resize(count);
    return values_;
  }

  size_t size() const { return count_; }
  bool is_uniform() const { return uniform_; }
  int64_t uniform_value() const { return value_; }
  int64_t operator[](size_t i) const { return uniform_ ? value_ : values_[i]; }
  // REQUIRES: !is_uniform().
  std::span<int64_t> values() { return values_; }
  std::span<const int64_t> values() const { return values_; }

 private:
  size_t count_ = 0;
  bool uniform_ = true;
  int64_t value_ = 0;
  std::vector<int64_t> values_;
};

// Scales scores so that the largest becomes 100 (upstream's DefaultNormalizeScore): 100*s/max, or all 0 when the largest is 0. With
// `reverse` the result is 100 minus that (all 100 when the largest is 0).
void NormalizeToMax(Scores& scores, bool reverse);

}  // namespace berth::framework
