// SPDX-License-Identifier: Apache-2.0
// How full a node is, as a score: the formulas of resource scoring.
//
// Amounts beyond int64 wrap around, as upstream's do.

#pragma once

#include <algorithm>
#include <cstdint>

#include "base/go_math.h"
#include "cluster/resources.h"

namespace berth::plugins {

// The free share of `capacity`, from 0 to `score_max`; 0 where there is no capacity or too much is requested.
constexpr int64_t LeastAllocatedScore(int64_t requested, int64_t capacity, int64_t score_max = 100) {
  if (capacity == 0 || requested > capacity) return 0;
  return cluster::WrapMul(capacity - requested, score_max) / capacity;
}

// The used share of `capacity`, from 0 to `score_max`; what exceeds the capacity does not count.
constexpr int64_t MostAllocatedScore(int64_t requested, int64_t capacity, int64_t score_max = 100) {
  return capacity == 0 ? 0 : cluster::WrapMul(std::min(requested, capacity), score_max) / capacity;
}

// The used share of `capacity` in percent, rounded down; 100 where there is no capacity or too much is requested.
constexpr int64_t UsedPercent(int64_t requested, int64_t capacity) {
  return capacity == 0 || requested > capacity ? 100 : cluster::WrapMul(requested, 100) / capacity;
}

// The mean of scores by weight; 0 when nothing was added.
struct WeightedMean {
  int64_t sum = 0;
  int64_t weights = 0;

  constexpr void Add(int64_t score, int64_t weight) {
    sum = cluster::WrapAdd(sum, cluster::WrapMul(score, weight));
    weights = cluster::WrapAdd(weights, weight);
  }
  constexpr int64_t Truncated() const { return weights == 0 ? 0 : sum / weights; }
  int64_t Rounded() const {
    return weights == 0 ? 0 : RoundHalfAway(static_cast<double>(sum) / static_cast<double>(weights));
  }
};

}  // namespace berth::plugins
