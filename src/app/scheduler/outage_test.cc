// SPDX-License-Identifier: Apache-2.0
#include "app/scheduler/outage.h"

#include <gtest/gtest.h>

namespace berth::scheduler_app {
namespace {

TEST(Outage, OneOfAllThatFailIsReportedInEachRound) {
  Outage outage;
  for (int round = 0; round < 5; ++round) {
    SCOPED_TRACE(round);
    int reports = 0;
    for (int i = 0; i < 18; ++i) reports += outage.Failed("watch-" + std::to_string((i + round) % 18)) ? 1 : 0;
    EXPECT_EQ(reports, 1);
  }
  EXPECT_EQ(outage.failing(), 18u);
}

TEST(Outage, ANewOneIsReportedAtOnce) {
  Outage outage;
  EXPECT_TRUE(outage.Failed("pods"));
  EXPECT_FALSE(outage.Failed("nodes"));
  EXPECT_TRUE(outage.Failed("nodes"));
  outage.Reached("nodes");
  EXPECT_FALSE(outage.Failed("pods")) << "its second time; that was reported";
  EXPECT_TRUE(outage.Failed("pods"));
  outage.Reached("pods");

  EXPECT_TRUE(outage.Failed("nodes"));
}

}  // namespace
}  // namespace berth::scheduler_app
