// SPDX-License-Identifier: Apache-2.0
#include "app/simulate/report/statistics.h"

#include <gtest/gtest.h>

namespace berth::simulate {
namespace {

TEST(Statistics, PercentilesAreWaitingTimesThatOccurred) {
  std::vector<Duration> waits;
  for (int i = 100; i >= 1; --i) waits.push_back(Seconds(i));

  const WaitingTime waiting = Summarize(waits);

  EXPECT_EQ(waiting.count, 100u);
  EXPECT_EQ(waiting.p50, Seconds(50));
  EXPECT_EQ(waiting.p90, Seconds(90));
  EXPECT_EQ(waiting.p99, Seconds(99));
  EXPECT_EQ(waiting.max, Seconds(100));
  EXPECT_EQ(Summarize(std::vector{Seconds(7)}).p50, Seconds(7));
  EXPECT_EQ(Summarize(std::vector<Duration>()).count, 0u);
}

TEST(Statistics, SamplesHoldUntilTheNext) {
  History history;
  history.end = history.start + Seconds(10);
  for (const int64_t at : {0, 8, 10}) {
    Sample& sample = history.samples.emplace_back();
    sample.at = history.start + Seconds(at);
    sample.active = static_cast<size_t>(at);
    sample.cpu_requested_milli = at == 8 ? 1000 : 0;
    sample.cpu_allocatable_milli = 1000;
  }

  const std::vector<Sample> rows = Resample(history, 6);

  ASSERT_EQ(rows.size(), 6u);
  EXPECT_EQ(rows[1].at, history.start + Seconds(2));
  EXPECT_EQ(rows[3].active, 0u);
  EXPECT_EQ(rows[4].active, 8u);
  EXPECT_EQ(rows[5].active, 10u);
  EXPECT_DOUBLE_EQ(Summarize(history).cpu_mean, 0.2);
}

TEST(Statistics, DurationsAreShort) {
  EXPECT_EQ(ShortDuration({}), "0s");
  EXPECT_EQ(ShortDuration({200'000}), "0.2ms");
  EXPECT_EQ(ShortDuration(Milliseconds(35)), "35ms");
  EXPECT_EQ(ShortDuration(Milliseconds(1540)), "1.5s");
  EXPECT_EQ(ShortDuration(Milliseconds(59'990)), "1m");
  EXPECT_EQ(ShortDuration(Seconds(130)), "2m10s");
  EXPECT_EQ(ShortDuration(Minutes(61)), "1h1m");
}

}  // namespace
}  // namespace berth::simulate
