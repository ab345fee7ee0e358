// SPDX-License-Identifier: Apache-2.0
#include "framework/fine_score.h"

#include <gtest/gtest.h>

#include <limits>

namespace berth::framework {
namespace {

TEST(FineScore, TellsAmountsApartThatDifferByOne) {
  constexpr int64_t kCapacity = int64_t{1} << 50;  // A pebibyte.

  EXPECT_TRUE(FinePercent(7, kCapacity) < FinePercent(8, kCapacity));
  EXPECT_TRUE(FinePercent(kCapacity / 3, kCapacity) < FinePercent(kCapacity / 3 + 1, kCapacity));
}

TEST(FineScore, HoldsAnyAmount) {
  constexpr int64_t kMost = std::numeric_limits<int64_t>::max();

  EXPECT_TRUE(FinePercent(kMost, kMost) == Fine(100));
  EXPECT_TRUE(FinePercent(kMost, 1) == Fine(100));
  EXPECT_TRUE(FinePercent(-1, kMost) == 0);
  EXPECT_TRUE(FinePercent(1, 0) == 0);
}

TEST(FineMean, IsComparedAsAFraction) {
  FineMean third;
  third.Add(Fine(1), 1);
  third.Add(Fine(0), 2);
  FineMean half;
  half.Add(Fine(1), 2);
  half.Add(Fine(0), 2);

  EXPECT_TRUE(third < half);
  EXPECT_FALSE(half < third);
  EXPECT_FALSE(half < half);
  EXPECT_TRUE(FineMean() < half);
  EXPECT_FALSE(half < FineMean());
}

}  // namespace
}  // namespace berth::framework
