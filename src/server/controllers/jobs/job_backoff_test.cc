// SPDX-License-Identifier: Apache-2.0
#include "server/controllers/jobs/job_backoff.h"

#include <gtest/gtest.h>

namespace berth::server {
namespace {

Time AtSecond(int64_t seconds) { return Time{} + Seconds(seconds); }

// A pod whose container ended so many seconds after the epoch.
Json Ended(int64_t seconds) {
  Json terminated{{"finishedAt", Json::String(FormatTime(AtSecond(seconds)))}};
  Json container{{"name", Json::String("main")}, {"state", Json{{"terminated", std::move(terminated)}}}};
  return Json{{"status", Json{{"containerStatuses", Json::MakeList({std::move(container)})}}}};
}

TEST(JobBackoff, DoublesWithEachFailureUpToTenMinutes) {
  for (const auto& [failures, seconds] : {std::pair<int64_t, int64_t>{0, 0}, {1, 10}, {2, 20}, {3, 40}, {7, 600}}) {
    EXPECT_EQ(RemainingBackoff({.failures = failures, .last = AtSecond(100)}, AtSecond(100)), Seconds(seconds))
        << failures;
  }
  EXPECT_EQ(RemainingBackoff({.failures = 1'000'000, .last = AtSecond(100)}, AtSecond(100)), Minutes(10));
  EXPECT_EQ(RemainingBackoff({.failures = 2, .last = AtSecond(100)}, AtSecond(115)), Seconds(5));
  EXPECT_EQ(RemainingBackoff({.failures = 2, .last = AtSecond(100)}, AtSecond(500)), Duration{});
}

TEST(JobBackoff, CountsFailuresSinceTheLastSuccess) {
  const JobBackoff before{.failures = 3, .last = AtSecond(50)};
  EXPECT_EQ(BackoffAfter(before, {}, {}), before);
  EXPECT_EQ(BackoffAfter(before, {}, {Ended(70), Ended(60)}), (JobBackoff{.failures = 5, .last = AtSecond(70)}));
  EXPECT_EQ(BackoffAfter(before, {Ended(80)}, {}), JobBackoff{});
  EXPECT_EQ(BackoffAfter(before, {Ended(65)}, {Ended(70), Ended(60)}),
            (JobBackoff{.failures = 1, .last = AtSecond(70)}));
}

TEST(JobBackoff, APodSaysInSeveralWaysWhenItEnded) {
  EXPECT_EQ(FinishedAt(Ended(30)), AtSecond(30));
  Json pod{{"metadata", Json{{"creationTimestamp", Json::String(FormatTime(AtSecond(5)))}}}};
  EXPECT_EQ(FinishedAt(pod), AtSecond(5));
  Json& metadata = pod.Make("metadata");
  metadata.Set("deletionTimestamp", FormatTime(AtSecond(50)));
  metadata.Set("deletionGracePeriodSeconds", Json::Int(30));
  EXPECT_EQ(FinishedAt(pod), AtSecond(20));
  pod.Make("status").Set("conditions",
                         Json::MakeList({Json{{"type", Json::String("Ready")},
                                              {"status", Json::String("False")},
                                              {"lastTransitionTime", Json::String(FormatTime(AtSecond(40)))}}}));
  EXPECT_EQ(FinishedAt(pod), AtSecond(40));
}

}  // namespace
}  // namespace berth::server
