// SPDX-License-Identifier: Apache-2.0
#include "framework/waiting_pods.h"

#include <gtest/gtest.h>

namespace berth::framework {
namespace {

cluster::PodPtr Pod(std::string uid) {
  auto pod = std::make_shared<cluster::PodInfo>();
  pod->uid = std::move(uid);
  return pod;
}

TEST(WaitingPods, PodGoesOnlyWhenEveryPluginAllowedIt) {
  WaitingPods waiting;
  waiting.Add(Pod("a"), {{"One", Seconds(10)}, {"Two", Seconds(20)}}, Time{0});

  waiting.Allow("a", "One");
  EXPECT_TRUE(waiting.Has("a"));
  EXPECT_TRUE(waiting.TakeVerdicts().empty());
  waiting.Allow("a", "Two");

  const auto verdicts = waiting.TakeVerdicts();
  ASSERT_EQ(verdicts.size(), 1u);
  EXPECT_TRUE(verdicts[0].status.ok());
  EXPECT_FALSE(waiting.Has("a"));
}

TEST(WaitingPods, FirstRejectionEndsTheWait) {
  WaitingPods waiting;
  waiting.Add(Pod("a"), {{"One", Seconds(10)}, {"Two", Seconds(20)}}, Time{0});

  EXPECT_TRUE(waiting.Reject("a", "Two", "no quorum"));
  EXPECT_FALSE(waiting.Reject("a", "One", "too late"));

  const auto verdicts = waiting.TakeVerdicts();
  ASSERT_EQ(verdicts.size(), 1u);
  EXPECT_EQ(verdicts[0].status.code, StatusCode::kUnschedulable);
  EXPECT_EQ(verdicts[0].status.plugin, "Two");
  EXPECT_EQ(verdicts[0].status.message(), "no quorum");
}

TEST(WaitingPods, TimeoutRejectsAtTheDeadlineAndNotBefore) {
  WaitingPods waiting;
  waiting.Add(Pod("a"), {{"One", Seconds(90)}, {"Two", Seconds(10)}}, Time{0});
  EXPECT_EQ(waiting.NextDeadline(), Time{} + Seconds(10));

  waiting.Expire(Time{} + Seconds(10) - Duration{1});
  EXPECT_TRUE(waiting.Has("a"));
  waiting.Expire(Time{} + Seconds(10));

  const auto verdicts = waiting.TakeVerdicts();
  ASSERT_EQ(verdicts.size(), 1u);
  EXPECT_EQ(verdicts[0].status.message(), "rejected due to timeout after waiting 10s at plugin Two");
}

TEST(WaitingPods, PreemptedPodEndsWithAnError) {
  WaitingPods waiting;
  waiting.Add(Pod("a"), {{"One", Seconds(10)}}, Time{0});

  EXPECT_TRUE(waiting.Preempt("a", "DefaultPreemption", "preempted"));

  EXPECT_EQ(waiting.TakeVerdicts()[0].status.code, StatusCode::kError);
}

}  // namespace
}  // namespace berth::framework
