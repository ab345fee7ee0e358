// SPDX-License-Identifier: Apache-2.0
#include "base/random.h"

#include <gtest/gtest.h>

#include <array>

namespace berth {
namespace {

TEST(Random, SequenceOfASeedNeverChanges) {
  const std::array<uint64_t, 4> from_zero = {0x99EC5F36CB75F2B4, 0xBF6E1F784956452A, 0x1A5F849D4933E6E0,
                                             0x6AA594F1262D2D2C};
  const std::array<uint64_t, 4> from_42 = {0x15780B2E0C2EC716, 0x6104D9866D113A7E, 0xAE17533239E499A1,
                                           0xECB8AD4703B360A1};
  Random zero(0);
  Random other(42);
  for (const uint64_t expected : from_zero) EXPECT_EQ(zero.Next(), expected);
  for (const uint64_t expected : from_42) EXPECT_EQ(other.Next(), expected);
}

TEST(Random, NumbersBelowABoundNeverChange) {
  const std::array<uint64_t, 12> expected = {0, 3, 6, 9, 9, 7, 7, 8, 7, 5, 6, 2};
  Random random(42);
  for (const uint64_t number : expected) EXPECT_EQ(random.Below(10), number);
}

TEST(Random, NumbersBelowABoundReachAllOfThemEqually) {
  Random random(7);
  std::array<int, 6> counts{};
  for (int i = 0; i < 60'000; ++i) ++counts[random.Below(counts.size())];
  for (const int count : counts) EXPECT_NEAR(count, 10'000, 400);
  EXPECT_EQ(random.Below(1), 0U);
  EXPECT_LT(random.Below((uint64_t{1} << 63) + 1), (uint64_t{1} << 63) + 1);
}

}  // namespace
}  // namespace berth
