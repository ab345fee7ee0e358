// SPDX-License-Identifier: Apache-2.0
#include "base/decimal.h"

#include <gtest/gtest.h>

#include <limits>
#include <string>

namespace berth {
namespace {

constexpr int64_t kMin = std::numeric_limits<int64_t>::min();

BigInt Big(std::string_view digits, bool negative = false) {
  BigInt value = BigInt::FromDigits(digits);
  if (negative) value.Negate();
  return value;
}

TEST(BigInt, KeepsEveryDigit) {
  EXPECT_EQ(Big("").Digits(), "0");
  EXPECT_EQ(Big("000").DigitCount(), 0U);
  EXPECT_EQ(Big("0001000000000000000000").Digits(), "1000000000000000000");
  EXPECT_EQ(Big("1000000000").DigitCount(), 10U);
  EXPECT_EQ(BigInt(kMin).Digits(), "9223372036854775808");
  EXPECT_EQ(BigInt(kMin).Low64(), kMin);
  EXPECT_EQ(Big("18446744073709551617").Low64(), 1);
}

TEST(BigInt, AddsAcrossSignsAndLimbs) {
  BigInt sum = Big("999999999999999999");
  sum += BigInt(1);
  EXPECT_EQ(sum.Digits(), "1000000000000000000");
  sum += Big("1000000000000000001", true);
  EXPECT_EQ(sum, BigInt(-1));
  sum += BigInt(1);
  EXPECT_TRUE(sum.is_zero());
  EXPECT_FALSE(sum.is_negative());
}

TEST(BigInt, OrdersBySignThenMagnitude) {
  EXPECT_LT(Big("10000000000", true), Big("9", true));
  EXPECT_LT(Big("9", true), BigInt());
  EXPECT_LT(Big("9"), Big("10000000000"));
  EXPECT_LT(Big("19999999999"), Big("20000000000"));
}

TEST(BigInt, ShiftsDecimalDigits) {
  BigInt value = Big("12345678901234567890");
  value.ShiftLeft(10);
  EXPECT_EQ(value.Digits(), "123456789012345678900000000000");
  EXPECT_TRUE(value.ShiftRight(11));
  EXPECT_EQ(value.Digits(), "1234567890123456789");
  EXPECT_FALSE(value.ShiftRight(18));
  EXPECT_EQ(value.Digits(), "1");
  EXPECT_FALSE(value.ShiftRight(1'000'000));
  EXPECT_TRUE(value.is_zero());
}

TEST(BigInt, MultipliesAndDivides) {
  BigInt value = Big("99999999999999999999");
  value.MultiplyBy(1024);
  EXPECT_EQ(value.Digits(), "102399999999999999998976");
  EXPECT_EQ(value.DivideBy(1000), 976U);
  EXPECT_EQ(value.Digits(), "102399999999999999998");
}

TEST(Decimal, RoundsAwayFromZero) {
  Decimal number{.mantissa = BigInt(-1001), .exponent = -3};
  EXPECT_FALSE(number.RoundTo(0));
  EXPECT_EQ(number.mantissa, BigInt(-2));
  EXPECT_TRUE(number.RoundTo(-2));
  EXPECT_EQ(number.mantissa, BigInt(-200));
}

TEST(Decimal, ComparesAcrossExponentsWithoutExpandingThem) {
  const Decimal thousand{.mantissa = BigInt(1000), .exponent = 0};
  EXPECT_TRUE(Compare(thousand, {.mantissa = BigInt(1), .exponent = 3}) == 0);
  EXPECT_TRUE(Compare(thousand, {.mantissa = BigInt(1), .exponent = 2'000'000'000}) < 0);
  EXPECT_TRUE(Compare(thousand, {.mantissa = BigInt(-1), .exponent = 2'000'000'000}) > 0);
  EXPECT_TRUE(Compare(thousand, {.mantissa = BigInt(1), .exponent = -2'000'000'000}) > 0);
}

TEST(Decimal, SumOfIncomparableSizesIsTheLargerOne) {
  Decimal sum{.mantissa = BigInt(7), .exponent = 0};
  sum += {.mantissa = BigInt(), .exponent = -2'000'000'000};
  EXPECT_EQ(sum.mantissa, BigInt(7));
  sum += {.mantissa = BigInt(1), .exponent = 2'000'000'000};
  EXPECT_EQ(sum.exponent, 2'000'000'000);
}

}  // namespace
}  // namespace berth
