// SPDX-License-Identifier: Apache-2.0
#include "cel/numbers.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace berth::cel {
namespace {

TEST(Numbers, ReadsFloatsAsGoDoes) {
  EXPECT_EQ(ParseGoFloat("1_000"), 1000.0);
  EXPECT_EQ(ParseGoFloat("0x1_fp4"), 496.0);
  EXPECT_EQ(ParseGoFloat("+.5"), 0.5);
  EXPECT_EQ(ParseGoFloat("1e-999"), 0.0);
  EXPECT_EQ(ParseGoFloat("-inf"), -std::numeric_limits<double>::infinity());
  EXPECT_TRUE(std::isnan(ParseGoFloat("NaN").value_or(0)));
  for (const char* text : {"", ".", "1e", "1_", "_1", "1__0", "1_.0", "1e999", " 1", "0x1", "infinit"}) {
    SCOPED_TRACE(text);
    EXPECT_EQ(ParseGoFloat(text), std::nullopt);
  }
}

TEST(Numbers, PrintsFloatsAsGoDoes) {
  EXPECT_EQ(FormatG(100000.0), "100000");
  EXPECT_EQ(FormatG(1e6), "1e+06");
  EXPECT_EQ(FormatG(1e-5), "1e-05");
  EXPECT_EQ(FormatG(-0.0), "-0");
  EXPECT_EQ(FormatShortest(360000000.000000001), "360000000");
  EXPECT_EQ(FormatFixed(2.675, 2), "2.67");
}

TEST(Numbers, ComparesAcrossTypesAsCelGoDoes) {
  EXPECT_EQ(Compare(9007199254740992.0, int64_t{9007199254740993}), 0);  // Through a double.
  EXPECT_EQ(Compare(1e19, INT64_MAX), 1);
  EXPECT_EQ(Compare(int64_t{-1}, uint64_t{0}), -1);
  EXPECT_EQ(ExactInt(1.5), std::nullopt);
  EXPECT_EQ(TruncatedInt(-9223372036854775808.0), std::nullopt);
}

}  // namespace
}  // namespace berth::cel
