// SPDX-License-Identifier: Apache-2.0
#include "runtime/backoff.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

namespace berth::runtime {
namespace {

using ::testing::ElementsAre;

std::vector<int64_t> MillisOfSteps(Backoff backoff, int count) {
  Random random(1);
  std::vector<int64_t> steps;
  for (int i = 0; i < count; ++i) steps.push_back(backoff.Step(random).nanos / 1'000'000);
  return steps;
}

TEST(Jitter, AddsUpToItsShare) {
  Random random(7);
  Duration least = Seconds(100);
  Duration most{};
  for (int i = 0; i < 1000; ++i) {
    const Duration wait = Jitter(Seconds(10), 0.5, random);
    least = std::min(least, wait);
    most = std::max(most, wait);
  }

  EXPECT_GE(least, Seconds(10));
  EXPECT_LT(least, Milliseconds(10'050));
  EXPECT_GT(most, Milliseconds(14'950));
  EXPECT_LT(most, Seconds(15));
}

TEST(Jitter, AFactorOfZeroOrLessCountsAsOne) {
  for (const double factor : {0.0, -3.0}) {
    Random random(7);
    Random same(7);
    EXPECT_EQ(Jitter(Seconds(10), factor, random), Jitter(Seconds(10), 1.0, same));
  }
}

TEST(Backoff, GrowsByItsFactorAndThenStaysAtTheCap) {
  EXPECT_THAT(MillisOfSteps({.duration = Milliseconds(800), .factor = 2, .steps = 10, .cap = Seconds(3)}, 5),
              ElementsAre(800, 1600, 3000, 3000, 3000));
}

TEST(Backoff, GrowsNoMoreOftenThanItHasSteps) {
  EXPECT_THAT(MillisOfSteps({.duration = Milliseconds(100), .factor = 3, .steps = 2}, 5),
              ElementsAre(100, 300, 900, 900, 900));
  EXPECT_THAT(MillisOfSteps({.duration = Milliseconds(100), .factor = 3, .steps = 0}, 3), ElementsAre(100, 100, 100));
}

TEST(Backoff, WithoutFactorItIsConstant) {
  EXPECT_THAT(MillisOfSteps({.duration = Milliseconds(100), .steps = 5}, 3), ElementsAre(100, 100, 100));
}

TEST(Backoff, JitterDoesNotAccumulate) {
  Backoff backoff{.duration = Seconds(1), .factor = 2, .jitter = 0.1, .steps = 10};
  Random random(3);
  Duration base = Seconds(1);
  for (int i = 0; i < 8; ++i) {
    const Duration wait = backoff.Step(random);
    EXPECT_GE(wait, base);
    EXPECT_LT(wait.nanos, base.nanos / 10 * 11);
    base = base + base;
  }
}

TEST(Backoff, GrowthEndsAtTheLongestDuration) {
  Backoff backoff{.duration = Minutes(60 * 24 * 365), .factor = 1000, .jitter = 1, .steps = 100};
  Random random(3);
  for (int i = 0; i < 10; ++i) EXPECT_GT(backoff.Step(random), Duration{});
}

TEST(BackoffManager, BeginsAnewAfterItsResetWindow) {
  BackoffManager manager({.duration = Seconds(1), .factor = 2, .steps = 100, .cap = Seconds(30)}, Minutes(2), 1);
  Time now{Minutes(1'000'000).nanos};
  EXPECT_EQ(manager.Next(now), Seconds(1));
  EXPECT_EQ(manager.Next(now), Seconds(2));

  now = now + Minutes(2);
  EXPECT_EQ(manager.Next(now), Seconds(4));

  now = now + Minutes(2) + Duration{1};
  EXPECT_EQ(manager.Next(now), Seconds(1));
}

}  // namespace
}  // namespace berth::runtime
