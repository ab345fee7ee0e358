// SPDX-License-Identifier: Apache-2.0
#include "runtime/clock.h"

#include <gtest/gtest.h>

namespace berth::runtime {
namespace {

TEST(Clock, TheTimeOfDayJumpsAndTheOtherCountsOn) {
  Time wall{Seconds(1'000'000).nanos};
  const Clock clock([&wall] { return wall; });
  const Time start = clock.Now();
  EXPECT_GE(start, wall);
  EXPECT_EQ(clock.Wall(), wall);
  for (const Duration step : {Minutes(600), Minutes(-1200)}) {
    const Time before = clock.Now();
    wall = wall + step;
    EXPECT_EQ(clock.Wall(), wall);
    EXPECT_GE(clock.Now(), before);
    EXPECT_LT(clock.Now() - start, Minutes(300)) << "it does not jump with it";
  }
}

}  // namespace
}  // namespace berth::runtime
