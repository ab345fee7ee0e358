// SPDX-License-Identifier: Apache-2.0
// Decimal: the exact number mantissa * 10^exponent, with a mantissa of any size.
//
// Operations are exact. Only where two exponents lie more than kShiftMax apart would an exact sum need
// an absurd number of digits (an input of a few bytes, such as 1e2000000000, can ask for it); there the operand
// that is larger in magnitude stands for the sum.

#pragma once

#include <compare>
#include <cstdint>

#include "base/big_int.h"

namespace berth {

struct Decimal {
  static constexpr int64_t kShiftMax = 100'000;

  BigInt mantissa;
  int64_t exponent = 0;

  // Brings the number to the given exponent, rounding away from zero; false if that changed its value. Keeps
  // an exponent that is more than kShiftMax above.
  bool RoundTo(int64_t new_exponent);

  // The result has the lower exponent of the two.
  Decimal& operator+=(const Decimal& other);
};

// Compares the numbers, however they are written.
std::strong_ordering Compare(const Decimal& left, const Decimal& right);

}  // namespace berth
