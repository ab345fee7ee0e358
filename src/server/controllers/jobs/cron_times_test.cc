// SPDX-License-Identifier: Apache-2.0
#include "server/controllers/jobs/cron_times.h"

#include <gtest/gtest.h>

namespace berth::server {
namespace {

Time At(std::string_view text) { return *ParseTime(text); }

// One that was made at midnight.
Json CronJobWith(std::string_view schedule, std::string_view ran = {}, int64_t deadline = -1) {
  Json job{{"metadata", Json{{"creationTimestamp", Json::String("2026-01-01T00:00:00Z")}}},
           {"spec", Json{{"schedule", Json::String(schedule)}}}};
  if (!ran.empty()) job.Make("status").Set("lastScheduleTime", ran);
  if (deadline >= 0) job.Make("spec").Set("startingDeadlineSeconds", Json::Int(deadline));
  return job;
}

std::string LastDue(const Json& job, std::string_view now) {
  const Result<CronTimes::Due> due = CronTimes::Of(job)->DueAt(At(now));
  if (!due) return due.error().message;
  return due->last ? FormatTime(*due->last) : "none";
}

TEST(CronTimes, TheLastTimeThatWasMissedIsDue) {
  EXPECT_EQ(LastDue(CronJobWith("*/10 * * * *"), "2026-01-01T00:09:59Z"), "none");
  EXPECT_EQ(LastDue(CronJobWith("*/10 * * * *"), "2026-01-01T00:10:00Z"), "2026-01-01T00:10:00Z");
  EXPECT_EQ(LastDue(CronJobWith("*/10 * * * *"), "2026-01-01T03:15:00Z"), "2026-01-01T03:10:00Z");
  EXPECT_EQ(LastDue(CronJobWith("*/10 * * * *", "2026-01-01T03:10:00Z"), "2026-01-01T03:15:00Z"), "none");
  EXPECT_EQ(LastDue(CronJobWith("30 6-16/4 * * 1-5"), "2026-01-05T09:00:00Z"), "2026-01-05T06:30:00Z");
}

TEST(CronTimes, WhatIsOlderThanTheDeadlineIsNotDue) {
  EXPECT_EQ(LastDue(CronJobWith("0 * * * *", {}, 600), "2026-01-01T03:15:00Z"), "none");
  EXPECT_EQ(LastDue(CronJobWith("0 * * * *", {}, 900), "2026-01-01T03:14:59Z"), "2026-01-01T03:00:00Z");
}

TEST(CronTimes, YearsThatWereMissedTakeNoTime) {
  const Json job = CronJobWith("* * * * *", "1980-01-01T00:00:00Z");
  EXPECT_EQ(LastDue(job, "2026-01-01T00:00:30Z"), "2026-01-01T00:00:00Z");
  EXPECT_TRUE(CronTimes::Of(job)->DueAt(At("2026-01-01T00:00:30Z"))->missed_many);
  EXPECT_EQ(LastDue(CronJobWith("* * * 1-11 *", "2024-11-30T23:58:00Z"), "2026-12-30T00:00:30Z"),
            "2026-11-30T23:59:00Z");
  EXPECT_FALSE(CronTimes::Of(CronJobWith("* * * * *"))->DueAt(At("2026-01-01T00:20:00Z"))->missed_many);
}

TEST(CronTimes, ATimeThatNeverComesIsAnError) {
  EXPECT_EQ(LastDue(CronJobWith("59 23 31 2 *"), "2026-06-01T00:00:00Z"),
            "time difference between two schedules is less than 1 second");
  EXPECT_EQ(CronTimes::Of(CronJobWith("59 23 31 2 *"))->UntilNext(At("2026-06-01T00:00:00Z")), std::nullopt);
}

TEST(CronTimes, LooksAgainAMomentAfterTheNextTime) {
  const auto until = [](const Json& job, std::string_view now) { return CronTimes::Of(job)->UntilNext(At(now)); };
  const Duration margin = Milliseconds(100);
  EXPECT_EQ(until(CronJobWith("*/10 * * * *"), "2026-01-01T00:09:00Z"), Minutes(1) + margin);
  EXPECT_EQ(until(CronJobWith("*/10 * * * *"), "2026-01-01T00:10:00Z"), Minutes(10) + margin);
  EXPECT_EQ(until(CronJobWith("*/10 * * * *"), "2026-01-01T05:19:00Z"), Minutes(1) + margin);
}

TEST(CronTimes, GoesByTheTimeZone) {
  Json job = CronJobWith("30 9 * * *");
  job.Make("spec").Set("timeZone", "Asia/Tokyo");
  EXPECT_EQ(LastDue(job, "2026-01-01T00:30:00Z"), "2026-01-01T00:30:00Z");
}

}  // namespace
}  // namespace berth::server
