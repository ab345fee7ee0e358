// SPDX-License-Identifier: Apache-2.0
// Integer division through floating point where that is exact.

#pragma once

#include <cstdint>

namespace berth::plugins {

// (numerator * 100) / denominator, truncated, for 0 <= numerator <= denominator and denominator > 0.
//
// A correctly rounded quotient a/b cannot reach the next integer while a < 2^53, and a floating-point division is
// several times faster than one of 64-bit integers. Larger amounts take the integer path.
inline int64_t Percent(int64_t numerator, int64_t denominator) {
  constexpr int64_t kExact = (int64_t{1} << 53) / 100;
  if (denominator < kExact) [[likely]] {
    return static_cast<int64_t>(static_cast<double>(numerator * 100) / static_cast<double>(denominator));
  }
  return numerator * 100 / denominator;
}

}  // namespace berth::plugins
