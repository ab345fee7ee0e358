// SPDX-License-Identifier: Apache-2.0
#include "base/decimal.h"

#include <algorithm>

namespace berth {
namespace {

// How many digits stand before the point; negative if zeros follow it.
int64_t IntegerDigits(const Decimal& number) {
  return static_cast<int64_t>(number.mantissa.DigitCount()) + number.exponent;
}

// REQUIRES: exponent <= number.exponent.
BigInt MantissaAt(const Decimal& number, int64_t exponent) {
  BigInt mantissa = number.mantissa;
  mantissa.ShiftLeft(static_cast<size_t>(number.exponent - exponent));
  return mantissa;
}

}  // namespace

bool Decimal::RoundTo(int64_t new_exponent) {
  if (new_exponent <= exponent) {
    if (exponent - new_exponent > kShiftMax) return true;
    mantissa.ShiftLeft(static_cast<size_t>(exponent - new_exponent));
    exponent = new_exponent;
    return true;
  }
  const int sign = mantissa.Sign();
  const bool exact = mantissa.ShiftRight(static_cast<size_t>(new_exponent - exponent));
  if (!exact) mantissa += BigInt(sign);
  exponent = new_exponent;
  return exact;
}

Decimal& Decimal::operator+=(const Decimal& other) {
  const int64_t common = std::min(exponent, other.exponent);
  if (std::max(exponent, other.exponent) - common > kShiftMax) {
    const bool other_is_larger =
        !other.mantissa.is_zero() && (mantissa.is_zero() || IntegerDigits(*this) < IntegerDigits(other));
    if (other_is_larger) *this = other;
    return *this;
  }
  mantissa.ShiftLeft(static_cast<size_t>(exponent - common));
  mantissa += MantissaAt(other, common);
  exponent = common;
  return *this;
}

std::strong_ordering Compare(const Decimal& left, const Decimal& right) {
  const int sign = left.mantissa.Sign();
  if (sign != right.mantissa.Sign() || sign == 0) return sign <=> right.mantissa.Sign();
  // With as many integer digits, the exponents differ by no more than the mantissas' lengths do.
  const int64_t left_digits = IntegerDigits(left);
  const int64_t right_digits = IntegerDigits(right);
  if (left_digits != right_digits) return sign > 0 ? left_digits <=> right_digits : right_digits <=> left_digits;
  const int64_t common = std::min(left.exponent, right.exponent);
  return MantissaAt(left, common) <=> MantissaAt(right, common);
}

}  // namespace berth
