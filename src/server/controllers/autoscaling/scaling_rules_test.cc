// SPDX-License-Identifier: Apache-2.0
#include "server/controllers/autoscaling/scaling_rules.h"

#include <gtest/gtest.h>

#include <initializer_list>

#include "server/model/test_tree.h"

namespace berth::server {
namespace {

constexpr Time kBegin{1'000'000'000'000'000'000};

Time After(int64_t seconds) { return kBegin + Seconds(seconds); }

TEST(ScalingRules, GoDownNoSoonerThanFiveMinutesLater) {
  ScalingHistory history;
  history.Begin(8, kBegin);
  Ruling ruling = history.Stabilize({}, 8, 3, After(15));
  EXPECT_EQ(ruling.replicas, 8);
  EXPECT_EQ(ruling.reason, "ScaleDownStabilized");
  ruling = history.Stabilize({}, 8, 5, After(299));
  EXPECT_EQ(ruling.replicas, 8);
  ruling = history.Stabilize({}, 8, 4, After(302));
  EXPECT_EQ(ruling.replicas, 5);
  ruling = history.Stabilize({}, 5, 4, After(700));
  EXPECT_EQ(ruling.replicas, 4);
  EXPECT_EQ(ruling.reason, "ReadyForNewScale");
}

TEST(ScalingRules, DoubleAtMostAndStayBetweenTheBounds) {
  const ScalingHistory history;
  for (const auto& [spec, current, proposed, replicas, reason] :
       std::initializer_list<std::tuple<const char*, int64_t, int64_t, int64_t, const char*>>{
           {R"({"minReplicas":1,"maxReplicas":50})", 3, 20, 6, "ScaleUpLimit"},
           {R"({"minReplicas":1,"maxReplicas":50})", 1, 20, 4, "ScaleUpLimit"},
           {R"({"minReplicas":1,"maxReplicas":5})", 3, 20, 5, "TooManyReplicas"},
           {R"({"minReplicas":2,"maxReplicas":5})", 3, 1, 2, "TooFewReplicas"},
           {R"({"minReplicas":2,"maxReplicas":5})", 3, 4, 4, "DesiredWithinRange"}}) {
    SCOPED_TRACE(reason);
    const Ruling ruling = history.Limit(TreeOf(spec), current, proposed, kBegin);
    EXPECT_EQ(ruling.replicas, replicas);
    EXPECT_EQ(ruling.reason, reason);
    EXPECT_EQ(ruling.is_limited, proposed != replicas);
  }
}

TEST(ScalingRules, BehaviorsSayHowManyInHowLong) {
  const Json spec = TreeOf(R"({"minReplicas":1,"maxReplicas":100,"behavior":{
      "scaleUp":{"selectPolicy":"Min","policies":[{"type":"Pods","value":4,"periodSeconds":60},
                                                  {"type":"Percent","value":10,"periodSeconds":60}]},
      "scaleDown":{"policies":[{"type":"Percent","value":50,"periodSeconds":60},
                               {"type":"Pods","value":2,"periodSeconds":60}]}}})");
  ScalingHistory history;
  EXPECT_EQ(history.Limit(spec, 11, 90, kBegin).replicas, 13);  // 10 % of 11, rounded up.
  history.Record(spec["behavior"], 11, 13, kBegin);
  EXPECT_EQ(history.Limit(spec, 13, 90, After(30)).replicas, 13);
  EXPECT_EQ(history.Limit(spec, 13, 90, After(30)).reason, "ScaleUpLimit");
  EXPECT_EQ(history.Limit(spec, 13, 90, After(61)).replicas, 15);
  EXPECT_EQ(history.Limit(spec, 13, 1, After(61)).replicas, 6);
  EXPECT_EQ(history.Limit(spec, 13, 1, After(61)).reason, "ScaleDownLimit");
}

TEST(ScalingRules, BehaviorsCanForbidADirection) {
  const Json spec = TreeOf(
      R"({"minReplicas":1,"maxReplicas":9,"behavior":{"scaleDown":{"selectPolicy":"Disabled"},"scaleUp":null}})");
  const ScalingHistory history;
  EXPECT_EQ(history.Limit(spec, 5, 2, kBegin).replicas, 5);
  // What is not said is upstream's: four more, or twice as many.
  EXPECT_EQ(history.Limit(spec, 2, 9, kBegin).replicas, 6);
}

TEST(ScalingRules, WindowsOfBehaviorsStabilizeBothWays) {
  const Json behavior =
      TreeOf(R"({"scaleUp":{"stabilizationWindowSeconds":60},"scaleDown":{"stabilizationWindowSeconds":30}})");
  ScalingHistory history;
  history.Begin(4, kBegin);
  const Ruling up = history.Stabilize(behavior, 4, 9, After(15));
  EXPECT_EQ(up.replicas, 4);
  EXPECT_EQ(up.reason, "ScaleUpStabilized");
  EXPECT_EQ(history.Stabilize(behavior, 4, 8, After(61)).replicas, 8);
  EXPECT_EQ(history.Stabilize(behavior, 8, 2, After(70)).replicas, 8);
  EXPECT_EQ(history.Stabilize(behavior, 8, 2, After(101)).replicas, 2);
}

TEST(ScalingRules, NonsenseHasBounds) {
  const Json spec = TreeOf(R"({"minReplicas":1,"maxReplicas":2147483647,"behavior":{
      "scaleUp":{"stabilizationWindowSeconds":9223372036854775807,
                 "policies":[{"type":"Percent","value":9223372036854775807,"periodSeconds":-5},{"type":"Pods"}]},
      "scaleDown":{"policies":[{"type":"Percent","value":-7,"periodSeconds":9223372036854775807}]}}})");
  ScalingHistory history;
  history.Begin(1, kBegin);
  history.Stabilize(spec["behavior"], 1, 2147483647, After(15));
  EXPECT_LE(history.Limit(spec, 2147483647, 2147483647, kBegin).replicas, 2147483647);
  EXPECT_EQ(history.Limit(spec, 5, 1, kBegin).replicas, 5);
}

}  // namespace
}  // namespace berth::server
