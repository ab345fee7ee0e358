// SPDX-License-Identifier: Apache-2.0
// BigInt: a signed integer of any size, for the few numbers that do not fit 64 bits.
//
// It holds its magnitude in base 10^9, because its users read, print and scale decimal digits: all of these are
// linear in the number of digits. It has only the operations they need.

#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace berth {

class BigInt {
 public:
  BigInt() = default;
  explicit BigInt(int64_t value);

  // REQUIRES: `digits` holds decimal digits only; none at all means zero.
  static BigInt FromDigits(std::string_view digits);

  bool is_zero() const { return limbs_.empty(); }
  bool is_negative() const { return negative_; }
  int Sign() const { return is_zero() ? 0 : (negative_ ? -1 : 1); }

  size_t DigitCount() const;   // Of the magnitude; zero has none.
  int64_t Low64() const;       // The low 64 bits in two's complement: the value itself if it fits.
  std::string Digits() const;  // The magnitude in decimal, "0" for zero.

  void Negate() { negative_ = !negative_ && !is_zero(); }
  void MultiplyBy(uint32_t factor);
  // Divides towards zero and returns the remainder of the magnitude. REQUIRES: divisor is not 0.
  uint32_t DivideBy(uint32_t divisor);
  // Multiplies by 10^digits.
  void ShiftLeft(size_t digits);
  // Divides by 10^digits towards zero; false if the division had a remainder.
  bool ShiftRight(size_t digits);

  BigInt& operator+=(const BigInt& other);
  bool operator==(const BigInt&) const = default;
  std::strong_ordering operator<=>(const BigInt& other) const;

 private:
  void Trim();
  std::strong_ordering CompareMagnitude(const BigInt& other) const;
  void AddMagnitude(const BigInt& other);
  void SubtractMagnitude(const BigInt& smaller);

  bool negative_ = false;        // Never for zero.
  std::vector<uint32_t> limbs_;  // Lowest first; the last one is not 0.
};

}  // namespace berth
