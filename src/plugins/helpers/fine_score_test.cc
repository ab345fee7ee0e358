// SPDX-License-Identifier: Apache-2.0
#include "plugins/helpers/fine_score.h"

#include <gtest/gtest.h>

#include <limits>

#include "plugins/helpers/broken_linear.h"

namespace berth::plugins {
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

TEST(BrokenLinear, IsALineBetweenIntegersToo) {
  const BrokenLinear line({{0, 0}, {3, 100}});

  EXPECT_TRUE(line.At(Fine(3)) == Fine(100));
  EXPECT_TRUE(line.At(Fine(3) / 2) == Fine(50));
  EXPECT_TRUE(line.At(Fine(1)) > Fine(33));
  EXPECT_TRUE(line.At(Fine(200)) == Fine(100));
}

}  // namespace
}  // namespace berth::plugins
