// SPDX-License-Identifier: Apache-2.0
#include "server/controllers/similar_events.h"

#include <gtest/gtest.h>

#include <string>

namespace berth::server {
namespace {

using Place = SimilarEvents::Place;

TEST(SimilarEvents, FromTheEleventhInTenMinutesOnOneStandsForMany) {
  SimilarEvents events;
  const Time start{Seconds(1'000'000).nanos};
  for (uint64_t words = 0; words < 10; ++words) EXPECT_EQ(events.Judge("a", words, start), Place::kOwn);
  EXPECT_EQ(events.Judge("a", 10, start), Place::kShared);
  EXPECT_EQ(events.Judge("a", 11, start), Place::kNone);
  EXPECT_EQ(events.Judge("a", 3, start), Place::kOwn) << "it is there already";
  EXPECT_EQ(events.Judge("b", 10, start), Place::kOwn);
  EXPECT_EQ(events.Judge("a", 12, start + Minutes(5)), Place::kShared);
  EXPECT_EQ(events.Judge("a", 13, start + Minutes(16)), Place::kOwn);
}

TEST(SimilarEvents, AreRememberedUpToTheirMaximum) {
  SimilarEvents events;
  const Time now{Seconds(1'000'000).nanos};
  for (uint64_t words = 0; words < 10; ++words) events.Judge("a", words, now);
  for (size_t i = 0; i < SimilarEvents::kKindsMax - 1; ++i) events.Judge(std::to_string(i), 0, now);
  EXPECT_EQ(events.Judge("a", 10, now), Place::kShared);

  events.Judge("one more", 0, now);

  EXPECT_EQ(events.Judge("a", 10, now), Place::kOwn);
}

}  // namespace
}  // namespace berth::server
