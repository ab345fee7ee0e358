// SPDX-License-Identifier: Apache-2.0
#include "server/kinds/cron_schedule.h"

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

}  // namespace
}  // namespace berth::server
