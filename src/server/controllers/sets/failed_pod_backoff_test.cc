// SPDX-License-Identifier: Apache-2.0
#include "server/controllers/sets/failed_pod_backoff.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

namespace berth::server {
namespace {

const Time kDawn{Seconds(1'000'000).nanos};

TEST(FailedPodBackoff, EachWaitIsTwiceAsLongUpToTheLongest) {
  FailedPodBackoff backoff;
  Time now = kDawn;
  EXPECT_EQ(backoff.Wait("a", now), std::nullopt);
  Duration wait = Seconds(1);
  for (int i = 0; i < 12; ++i) {
    EXPECT_EQ(backoff.Wait("a", now), wait);
    EXPECT_EQ(backoff.Wait("a", now + Milliseconds(100)), wait - Milliseconds(100));
    now = now + wait;
    EXPECT_EQ(backoff.Wait("a", now), std::nullopt);
    wait = std::min(wait * 2, Minutes(15));
  }
  EXPECT_EQ(wait, Minutes(15));
  now = now + Minutes(31);
  EXPECT_EQ(backoff.Wait("a", now), std::nullopt);
  EXPECT_EQ(backoff.Wait("a", now), Seconds(1));
}

TEST(FailedPodBackoff, PlacesAreRememberedUpToTheirMaximum) {
  FailedPodBackoff backoff;
  for (size_t i = 0; i < FailedPodBackoff::kPlacesMax; ++i) backoff.Wait(std::to_string(i), kDawn);
  EXPECT_EQ(backoff.Wait("0", kDawn), Seconds(1));

  EXPECT_EQ(backoff.Wait("one more", kDawn), std::nullopt);

  EXPECT_EQ(backoff.Wait("0", kDawn), std::nullopt);
}

}  // namespace
}  // namespace berth::server
