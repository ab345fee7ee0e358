// SPDX-License-Identifier: Apache-2.0
#include "app/simulate/history/queue_course.h"

#include <gtest/gtest.h>

namespace berth::simulate {
namespace {

constexpr Time kStart{};

TEST(QueueCourse, StatesCountForAsLongAsTheyLast) {
  QueueCourse course(kStart, Seconds(1));
  for (int i = 0; i < 3; ++i) {
    const Time arrival = kStart + Seconds(2 * i);
    course.Pass(arrival + Milliseconds(10), {.active = 1});
    course.Pass(arrival + Seconds(2), {});
  }

  const std::vector<QueueMean> means = course.Take();

  ASSERT_EQ(means.size(), 6u);
  for (size_t i = 0; i < means.size(); ++i) {
    EXPECT_EQ(means[i].from, kStart + Seconds(static_cast<int64_t>(i)));
    EXPECT_DOUBLE_EQ(means[i].pods.active, i % 2 == 0 ? 0.01 : 0);
  }
}

TEST(QueueCourse, LongStatesCostOneEntry) {
  QueueCourse course(kStart, Duration{1});
  course.Pass(kStart + Seconds(1'000'000), {.unschedulable = 7});
  course.Pass(kStart + Seconds(2'000'000), {.unschedulable = 7});

  const std::vector<QueueMean> means = course.Take();

  ASSERT_EQ(means.size(), 1u);
  EXPECT_EQ(means[0].pods.unschedulable, 7);
}

TEST(QueueCourse, TheLastIntervalMayBeShort) {
  QueueCourse course(kStart, Seconds(10));
  course.Pass(kStart + Seconds(10), {.backoff = 1});
  course.Pass(kStart + Seconds(11), {.backoff = 4});
  course.Pass(kStart + Seconds(12), {.backoff = 2});

  const std::vector<QueueMean> means = course.Take();

  ASSERT_EQ(means.size(), 2u);
  EXPECT_DOUBLE_EQ(means[1].pods.backoff, 3);
}

}  // namespace
}  // namespace berth::simulate
