// SPDX-License-Identifier: Apache-2.0

#include <gtest/gtest.h>

#include "cluster/test_builders.h"
#include "framework/feature_gates.h"
#include "plugins/helpers/test_run.h"
#include "plugins/helpers/test_topology.h"
#include "plugins/pod_topology_spread/pod_topology_spread.h"
#include "plugins/pod_topology_spread/test_pods.h"

namespace berth::plugins {
namespace {

using cluster::Cluster;
using cluster::NodeBuilder;
using cluster::PodBuilder;

// With the built-in default constraints.
const PodTopologySpread& SystemDefaulted() {
  static const std::unique_ptr<framework::Plugin> plugin = [] {
    const framework::PluginArgs args = PodTopologySpread::Args();
    const framework::FeatureGates gates;
    return PodTopologySpread::Create({args, gates}).value();
  }();
  return static_cast<const PodTopologySpread&>(*plugin);
}

// With one default constraint over zones, from the configuration.
const PodTopologySpread& ListDefaulted() {
  static const std::unique_ptr<framework::Plugin> plugin = [] {
    api::TopologySpreadConstraint constraint;
    constraint.max_skew = 1;
    constraint.topology_key = kZone;
    constraint.when_unsatisfiable = "ScheduleAnyway";
    const framework::PluginArgs args =
        PodTopologySpread::Args{.default_constraints = {constraint}, .defaulting_type = "List"};
    const framework::FeatureGates gates;
    return PodTopologySpread::Create({args, gates}).value();
  }();
  return static_cast<const PodTopologySpread&>(*plugin);
}

void PutService(Cluster& cluster) {
  api::Service service;
  service.meta.ns = "default";
  service.meta.name = "web";
  service.selector = api::Labels{{"app", "web"}};
  cluster.objects.services.Put(service);
}

PodBuilder Soft(int32_t max_skew, const std::string& key) {
  return Web("p").Spread(max_skew, key, "ScheduleAnyway", {{"app", "web"}});
}

// Nodes a and b in zone 1 with 2 and 1 pods, c in zone 2 with 1, d without a zone with 4.
void FourNodesWithPods(Cluster& cluster) {
  cluster.AddNode(NodeBuilder("a").Zone("1"));
  cluster.AddNode(NodeBuilder("b").Zone("1"));
  cluster.AddNode(NodeBuilder("c").Zone("2"));
  cluster.AddNode(NodeBuilder("d"));
  int serial = 0;
  for (const auto& [node, pods] : std::map<std::string, int>{{"a", 2}, {"b", 1}, {"c", 1}, {"d", 4}}) {
    for (int i = 0; i < pods; ++i) {
      ASSERT_TRUE(cluster.AddPod(cluster.MakePod(Web("x" + std::to_string(serial++)).Node(node))));
    }
  }
}

TestRun<PodTopologySpread> On(Cluster& cluster, const api::Pod& pod) { return {SystemDefaulted(), cluster, pod}; }

TEST(SpreadScore, PodWithoutSoftConstraintsSkips) {
  Cluster cluster;
  FourNodesWithPods(cluster);

  EXPECT_TRUE(On(cluster, Web("p")).PreScore().is_skip());
  EXPECT_TRUE(On(cluster, Web("p").Spread(1, kZone, "DoNotSchedule", {{"app", "web"}})).PreScore().is_skip());
}

TEST(SpreadScore, ZonesWithFewerPodsScoreHigherAndNodesWithoutZoneNothing) {
  Cluster cluster;
  FourNodesWithPods(cluster);

  // Two domains weigh ln 4 = 1.386: 3 pods make 4.16, 1 pod 1.39.
  EXPECT_EQ(On(cluster, Soft(1, kZone)).RawScores(), (Numbers{{"a", 4}, {"b", 4}, {"c", 1}, {"d", 0}}));
  EXPECT_EQ(On(cluster, Soft(1, kZone)).FinalScores(), (Numbers{{"a", 25}, {"b", 25}, {"c", 100}, {"d", 0}}));
}

TEST(SpreadScore, MaxSkewWatersDifferencesDown) {
  Cluster cluster;
  FourNodesWithPods(cluster);

  EXPECT_EQ(On(cluster, Soft(5, kZone)).RawScores(), (Numbers{{"a", 8}, {"b", 8}, {"c", 5}, {"d", 0}}));
  EXPECT_EQ(On(cluster, Soft(5, kZone)).FinalScores(), (Numbers{{"a", 62}, {"b", 62}, {"c", 100}, {"d", 0}}));
}

TEST(SpreadScore, HostsCountTheirOwnPodsAndWeighByTheNumberOfScoredNodes) {
  Cluster cluster;
  FourNodesWithPods(cluster);

  // Four nodes weigh ln 6 = 1.792.
  EXPECT_EQ(On(cluster, Soft(1, kHost)).RawScores(), (Numbers{{"a", 4}, {"b", 2}, {"c", 2}, {"d", 7}}));
  // With zones, d is ignored: ln 5 = 1.609 for hosts, ln 4 for zones.
  EXPECT_EQ(On(cluster, Soft(1, kHost).Spread(1, kZone, "ScheduleAnyway", {{"app", "web"}})).RawScores(),
            (Numbers{{"a", 7}, {"b", 6}, {"c", 3}, {"d", 0}}));
}

TEST(SpreadScore, NodesThatAreNotScoredStillCountForTheirZone) {
  Cluster cluster;
  FourNodesWithPods(cluster);
  TestRun<PodTopologySpread> run(SystemDefaulted(), cluster, Soft(1, kZone));
  const std::vector<cluster::NodeSlot> feasible = {run.Slot("b")};

  ASSERT_TRUE(SystemDefaulted().PreScore(run.cycle(), feasible).ok());
  framework::Scores scores;
  ASSERT_TRUE(SystemDefaulted().Score(run.cycle(), feasible, scores).ok());

  EXPECT_EQ(scores[0], 3);  // 3 pods at ln 3 = 1.0986.
}

TEST(SpreadScore, NodesThatAffinityExcludesDoNotCount) {
  Cluster cluster;
  FourNodesWithPods(cluster);

  EXPECT_EQ(On(cluster, Soft(1, kZone).NodeAffinity(kHost, "NotIn", {"a"})).RawScores(),
            (Numbers{{"a", 1}, {"b", 1}, {"c", 1}, {"d", 0}}));
}

TEST(SpreadScore, AllEmptyGetsTheMaximum) {
  Cluster cluster;
  cluster.AddNode(NodeBuilder("a").Zone("1"));
  cluster.AddNode(NodeBuilder("b").Zone("2"));

  EXPECT_EQ(On(cluster, Soft(1, kZone)).FinalScores(), (Numbers{{"a", 100}, {"b", 100}}));
}

TEST(SpreadScore, BuiltInDefaultsAlsoScoreNodesWithoutZone) {
  Cluster cluster;
  FourNodesWithPods(cluster);
  PutService(cluster);

  // Hosts: ln 6 and 2; zones, where none is one more: ln 5 and 4.
  EXPECT_EQ(On(cluster, Web("p")).RawScores(), (Numbers{{"a", 14}, {"b", 13}, {"c", 9}, {"d", 9}}));
}

TEST(SpreadScore, ConfiguredDefaultsIgnoreNodesWithoutZone) {
  Cluster cluster;
  FourNodesWithPods(cluster);
  PutService(cluster);

  EXPECT_EQ(TestRun<PodTopologySpread>(ListDefaulted(), cluster, Web("p")).FinalScores(),
            (Numbers{{"a", 25}, {"b", 25}, {"c", 100}, {"d", 0}}));
}

TEST(SpreadScore, EmptyZoneAndNoZoneAreOneDomainForTheBuiltInDefaults) {
  Cluster cluster;
  cluster.AddNode(NodeBuilder("empty").Zone(""));
  cluster.AddNode(NodeBuilder("none"));
  ASSERT_TRUE(cluster.AddPod(cluster.MakePod(Web("x").Node("none"))));
  PutService(cluster);

  // Hosts: ln 4 and 2; one zone: ln 3 and 4.
  EXPECT_EQ(On(cluster, Web("p")).RawScores(), (Numbers{{"empty", 7}, {"none", 3}}));
}

}  // namespace
}  // namespace berth::plugins
