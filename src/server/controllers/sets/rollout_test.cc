// SPDX-License-Identifier: Apache-2.0
#include "server/controllers/sets/rollout.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <optional>

#include "base/random.h"

namespace berth::server {
namespace {

int64_t Total(const std::vector<int64_t>& sizes) {
  int64_t total = 0;
  for (const int64_t size : sizes) total += size;
  return total;
}

TEST(Rollout, ReadsNumbersAndPercentages) {
  const auto plan = [](std::string_view text) { return PlanOf(*ParseTree(text)); };
  const RolloutPlan percent =
      plan(R"({"replicas":10,"strategy":{"rollingUpdate":{"maxSurge":"25%","maxUnavailable":"25%"}}})");
  EXPECT_EQ(percent.surge, 3);
  EXPECT_EQ(percent.unavailable, 2);
  const RolloutPlan none = plan(R"({"replicas":1,"strategy":{"rollingUpdate":{"maxSurge":0,"maxUnavailable":"25%"}}})");
  EXPECT_EQ(none.surge, 0);
  EXPECT_EQ(none.unavailable, 1);
  EXPECT_TRUE(plan(R"({"replicas":2,"strategy":{"type":"Recreate"}})").recreates);
}

TEST(Rollout, RecreateWaitsForTheOldPodsToGo) {
  const RolloutPlan plan{.replicas = 2, .surge = 0, .unavailable = 0, .recreates = true};
  EXPECT_EQ(NextSizes(plan, {{.wanted = 2, .present = 2, .available = 2}, {}}, 1), (std::vector<int64_t>{0, 0}));
  EXPECT_EQ(NextSizes(plan, {{.wanted = 0, .present = 1, .available = 0}, {}}, 1), (std::vector<int64_t>{0, 0}));
  EXPECT_EQ(NextSizes(plan, {{.wanted = 0, .present = 0, .available = 0}, {}}, 1), (std::vector<int64_t>{0, 2}));
}

TEST(Rollout, ADeploymentWithOneSetIsScaledAndDoesNotMoveOn) {
  const RolloutPlan plan{.replicas = 5, .surge = 1, .unavailable = 1};
  const RolloutSet two{.wanted = 2, .present = 2, .available = 2};
  EXPECT_EQ(ScaledSizes(plan, {two, {}}, 1), (std::vector<int64_t>{5, 0}));
  EXPECT_EQ(ScaledSizes(plan, {two, {}}, std::nullopt), (std::vector<int64_t>{5, 0}));
  EXPECT_EQ(ScaledSizes(plan, {{}, {}}, 0), (std::vector<int64_t>{5, 0}));
  EXPECT_EQ(ScaledSizes(plan, {{}, {}}, std::nullopt), (std::vector<int64_t>{0, 5}));
}

TEST(Rollout, InTheMiddleOfARolloutEachSetGetsItsShare) {
  const auto sizes = [](int64_t replicas, int64_t left, int64_t right) {
    const RolloutPlan plan{.replicas = replicas, .surge = 3, .unavailable = 2};
    return ScaledSizes(plan,
                       {{.wanted = left, .present = left, .replicas_then = 10, .most_then = 13},
                        {.wanted = right, .present = right, .replicas_then = 10, .most_then = 13}},
                       1);
  };
  EXPECT_EQ(sizes(30, 8, 5), (std::vector<int64_t>{20, 13}));
  EXPECT_EQ(sizes(5, 8, 5), (std::vector<int64_t>{5, 3}));
  EXPECT_EQ(sizes(0, 8, 5), (std::vector<int64_t>{0, 0}));
  // What rounding leaves goes to the largest, of equal ones to the newest.
  EXPECT_EQ(sizes(11, 5, 5), (std::vector<int64_t>{5, 9}));
  EXPECT_EQ(sizes(2147483647, 8, 5).size(), 2U);
}

TEST(Rollout, OldSetsGoOnceTheNewestIsComplete) {
  const RolloutPlan plan{.replicas = 3, .surge = 1, .unavailable = 1};
  const RolloutSet complete{.wanted = 3, .present = 3, .available = 3, .replicas_then = 3, .most_then = 4};
  const RolloutSet old{.wanted = 1, .present = 1, .replicas_then = 3, .most_then = 4};

  EXPECT_EQ(ScaledSizes(plan, {old, complete}, 1), (std::vector<int64_t>{0, 3}));
}

// Whatever the pods do meanwhile, limits hold at every step and the rollout arrives once the pods work.
TEST(Rollout, LimitsHoldAtEveryStep) {
  for (uint64_t seed = 0; seed < 500; ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed);
    const auto below = [&](int64_t bound) { return static_cast<int64_t>(random.Below(static_cast<uint64_t>(bound))); };
    RolloutPlan plan{.replicas = 1 + below(12), .surge = below(4), .unavailable = below(4)};
    plan.unavailable = std::min(plan.unavailable, plan.replicas);
    if (plan.surge == 0 && plan.unavailable == 0) plan.unavailable = 1;
    std::vector<RolloutSet> sets(2 + random.Below(3));
    const size_t newest = sets.size() - 1;
    sets[0] = {.wanted = plan.replicas, .present = plan.replicas, .available = plan.replicas};
    int64_t least = plan.replicas;
    for (int step = 0; step < 200; ++step) {
      const std::vector<int64_t> sizes = NextSizes(plan, sets, newest);
      int64_t available = 0;
      for (size_t i = 0; i < sets.size(); ++i) {
        sets[i].wanted = sizes[i];
        sets[i].available = std::min(sets[i].available, sizes[i]);
        available += sets[i].available;
      }
      ASSERT_LE(Total(sizes), plan.replicas + plan.surge);
      ASSERT_GE(available, std::min(least, plan.replicas - plan.unavailable));
      // Pods come up one by one, or for a while not at all.
      for (RolloutSet& set : sets) {
        if (set.available < set.wanted && (step > 150 || random.Below(3) == 0)) ++set.available;
        set.present = set.wanted;
      }
      least = plan.replicas;
    }
    EXPECT_EQ(sets[newest].wanted, plan.replicas);
    for (size_t i = 0; i < newest; ++i) EXPECT_EQ(sets[i].wanted, 0);
  }
}

TEST(Rollout, BrokenOldPodsGoOnlyAsFarAsTheOthersAreEnough) {
  const RolloutPlan plan{.replicas = 3, .surge = 1, .unavailable = 0};
  // What is known of the old pods may be late.
  const std::vector<RolloutSet> sets = {{.wanted = 3, .present = 3, .available = 0},
                                        {.wanted = 1, .present = 1, .available = 0}};
  EXPECT_EQ(NextSizes(plan, sets, 1), (std::vector<int64_t>{3, 1}));
  const std::vector<RolloutSet> later = {{.wanted = 3, .present = 3, .available = 0},
                                         {.wanted = 1, .present = 1, .available = 1}};
  EXPECT_EQ(NextSizes(plan, later, 1), (std::vector<int64_t>{2, 1}));
}

TEST(Rollout, ScalesDownInTheMiddle) {
  const RolloutPlan plan{.replicas = 2, .surge = 1, .unavailable = 0};
  const std::vector<RolloutSet> sets = {{.wanted = 6, .present = 6, .available = 6},
                                        {.wanted = 4, .present = 4, .available = 4}};
  EXPECT_EQ(NextSizes(plan, sets, 1), (std::vector<int64_t>{0, 2}));
}

}  // namespace
}  // namespace berth::server
