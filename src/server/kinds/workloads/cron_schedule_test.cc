// SPDX-License-Identifier: Apache-2.0
#include "server/kinds/workloads/cron_schedule.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>

namespace berth::server {
namespace {

TEST(CronSchedule, TakesFieldsNamesAndSteps) {
  for (const char* schedule : {"* * * * *", "*/5 0-23/2 1,15 jan-mar mon", "0 0 ? * SUN", "@daily", "@every 5m"}) {
    EXPECT_TRUE(CheckCronSchedule(schedule)) << schedule;
  }
}

TEST(CronSchedule, SaysWhatIsWrong) {
  for (const auto& [schedule, problem] : {
           std::pair("* *", "expected exactly 5 fields, found 2: [* *]"),
           std::pair("60 * * * *", "end of range (60) above maximum (59): 60"),
           std::pair("* * 0 * *", "beginning of range (0) below minimum (1): 0"),
           std::pair("5-1 * * * *", "beginning of range (5) beyond end of range (1): 5-1"),
           std::pair("*/0 * * * *", "step of range should be a positive number: */0"),
           std::pair("1-2-3 * * * *", "too many hyphens: 1-2-3"),
           std::pair("*/1/2 * * * *", "too many slashes: */1/2"),
           std::pair("x * * * *", R"(failed to parse int from x: strconv.Atoi: parsing "x": invalid syntax)"),
           std::pair("@never", "unrecognized descriptor: @never"),
       }) {
    const auto checked = CheckCronSchedule(schedule);
    ASSERT_FALSE(checked) << schedule;
    EXPECT_EQ(checked.error().message, problem);
  }
}

TEST(CronSchedule, FindsTheNextTime) {
  for (const auto& [schedule, next] : {
           std::pair("* * * * *", "2026-01-31T23:51:00Z"),
           std::pair("*/20 * * * *", "2026-02-01T00:00:00Z"),
           std::pair("30 4 * * *", "2026-02-01T04:30:00Z"),
           std::pair("0 0 29 2 *", "2028-02-29T00:00:00Z"),
           std::pair("0 9 * * mon-fri", "2026-02-02T09:00:00Z"),
           std::pair("0 0 10 * sun", "2026-02-01T00:00:00Z"),  // Either is enough.
           std::pair("0 0 */10 * tue", "2026-02-01T00:00:00Z"),
           std::pair("0 0 * * tue", "2026-02-03T00:00:00Z"),
           std::pair("@monthly", "2026-02-01T00:00:00Z"),
           std::pair("@every 90s", "2026-01-31T23:51:30Z"),
       }) {
    const auto parsed = CronSchedule::Parse(schedule);
    ASSERT_TRUE(parsed) << schedule;
    const std::optional<Time> found = parsed->Next(*ParseTime("2026-01-31T23:50:00Z"));
    ASSERT_TRUE(found) << schedule;
    EXPECT_EQ(FormatTime(*found), next) << schedule;
  }
}

TEST(CronSchedule, GoesByTheClocksOfAZone) {
  const std::string_view zone = "America/New_York";
  const auto next = [&](std::string_view schedule, std::string_view after) {
    const std::optional<Time> found = CronSchedule::Parse(schedule)->Next(*ParseTime(after), zone);
    return found ? FormatTime(*found) : "never";
  };
  EXPECT_EQ(next("0 9 * * *", "2026-01-01T14:00:00Z"), "2026-01-02T14:00:00Z");
  EXPECT_EQ(next("0 9 * * *", "2026-03-07T14:00:00Z"), "2026-03-08T13:00:00Z");
  EXPECT_EQ(next("30 2 * * *", "2026-03-08T00:00:00Z"), "2026-03-09T06:30:00Z") << "there is no half past two";
  EXPECT_EQ(next("30 1 * * *", "2026-11-01T05:00:00Z"), "2026-11-01T05:30:00Z");
  EXPECT_EQ(next("30 1 * * *", "2026-11-01T05:30:00Z"), "2026-11-01T06:30:00Z") << "it is half past one again";
  EXPECT_EQ(next("0 3 8 3 *", "2026-03-08T06:59:00Z"), "2026-03-08T07:00:00Z") << "when the clocks are changed";
  EXPECT_EQ(next("0 0 29 2 *", "2026-01-01T00:00:00Z"), "2028-02-29T05:00:00Z");
  EXPECT_EQ(next("0 0 31 2 *", "2026-01-01T00:00:00Z"), "never");
}

TEST(CronSchedule, SomeTimesNeverCome) {
  EXPECT_EQ(CronSchedule::Parse("0 0 31 2 *")->Next(Time{}), std::nullopt);
  EXPECT_EQ(CronSchedule::Parse("@every soon")->Next(Time{}), std::nullopt);
}

}  // namespace
}  // namespace berth::server
