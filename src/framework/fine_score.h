// SPDX-License-Identifier: Apache-2.0
// FineScore: a score with 56 binary places, which tells nodes apart whose scores are equal once they are integers.
//
// 128 bits hold a share of any amount without overflow. Nodes of one capacity are told apart by the last byte.

#pragma once

#include <algorithm>
#include <cstdint>

namespace berth::framework {

__extension__ typedef __int128 FineScore;

constexpr FineScore Fine(int64_t score) { return FineScore{score} << 56; }

// `part` of `whole` in percent; 0 where there is no whole.
constexpr FineScore FinePercent(int64_t part, int64_t whole) {
  if (whole <= 0) return 0;
  return Fine(100) * std::clamp<int64_t>(part, 0, whole) / whole;
}

// The mean of scores by weight, kept as a fraction.
struct FineMean {
  FineScore sum = 0;
  int64_t weights = 0;

  constexpr void Add(FineScore score, int64_t weight) {
    sum += score * weight;
    weights += weight;
  }
  constexpr bool operator<(const FineMean& other) const {
    if (weights == 0 || other.weights == 0) return weights == 0 && other.weights != 0 && other.sum > 0;
    return sum * other.weights < other.sum * weights;
  }
};

}  // namespace berth::framework
