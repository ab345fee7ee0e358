// SPDX-License-Identifier: Apache-2.0
// The priorities of v1.16.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "plugins/helpers/plugin_trial.h"
#include "plugins/helpers/zone_labels.h"
#include "plugins/legacy/v116/inter_pod_affinity.h"
#include "plugins/legacy/v116/node_priorities.h"
#include "plugins/legacy/v116/resource_priorities.h"
#include "plugins/legacy/v116/spread_priorities.h"

namespace berth::plugins::legacy::v116 {
namespace {

using cluster::NodeBuilder;
using cluster::PodBuilder;
using cluster::Term;
using testing::ElementsAre;
using testing::Pair;

constexpr int64_t kMebibytes = 1024 * 1024;

void PlacePod(cluster::Cluster& cluster, const PodBuilder& pod) {
  ASSERT_TRUE(cluster.AddPod(cluster.MakePod(pod)).has_value());
}

api::Service WebService() {
  api::Service service;
  service.meta.ns = "default";
  service.meta.name = "web";
  service.selector = api::Labels{{"app", "web"}};
  return service;
}

TEST(ResourcePrioritiesV116, ScoresGoFromZeroToTen) {
  cluster::Cluster cluster;
  cluster.AddNode(NodeBuilder("empty").Capacity("4", "8Gi"));
  cluster.AddNode(NodeBuilder("full").Capacity("1", "8Gi"));
  cluster.AddNode(NodeBuilder("none"));
  PluginTrial trial(cluster, PodBuilder("p").Request("cpu", "1").Request("memory", "2Gi"));

  EXPECT_THAT(trial.Score(LeastRequestedPriority("x")),
              ElementsAre(Pair("empty", 7), Pair("full", 3), Pair("none", 0)));
  EXPECT_THAT(trial.Score(MostRequestedPriority("x")), ElementsAre(Pair("empty", 2), Pair("full", 6), Pair("none", 0)));
  EXPECT_THAT(trial.Score(BalancedResourceAllocation("x")),
              ElementsAre(Pair("empty", 10), Pair("full", 0), Pair("none", 0)));
}

TEST(ResourcePrioritiesV116, InitContainersCountWhereTheyNeedMore) {
  cluster::Cluster cluster;
  cluster.AddNode(NodeBuilder("a").Capacity("1", "1000Mi"));

  PluginTrial trial(cluster, PodBuilder("p").InitContainer("i", cluster::Amounts({{"cpu", "500m"}})));

  EXPECT_THAT(trial.Score(LeastRequestedPriority("x")), ElementsAre(Pair("a", 6)));  // 500m of cpu, 200Mi of memory.
}

TEST(ResourcePrioritiesV116, ResourcesThatScoreNothingDoNotCountInARatio) {
  cluster::Cluster cluster;
  cluster.AddNode(NodeBuilder("a").Capacity("4", "4Gi"));
  PluginTrial trial(cluster, PodBuilder("p").Request("cpu", "1").Request("memory", "4Gi"));

  // The shape of old: 8 of 10 for the cpu, and memory is full.
  EXPECT_THAT(trial.Score(RequestedToCapacityRatioPriority("x", {})), ElementsAre(Pair("a", 8)));
  EXPECT_THAT(trial.Score(RequestedToCapacityRatioPriority(
                  "x", {.shape = {{0, 0}, {100, 10}}, .resources = {{"cpu", 1}, {"memory", 1}, {"nonsense", 2}}})),
              ElementsAre(Pair("a", 8)));  // (2 + 10 + 2 * 10) / 4.
}

TEST(NodePrioritiesV116, PreferredTermsLookAtLabelsOnly) {
  cluster::Cluster cluster;
  cluster.AddNode(NodeBuilder("a").Label("disk", "ssd"));
  cluster.AddNode(NodeBuilder("b").Label("zone", "1"));
  PodBuilder pod =
      PodBuilder("p").PreferredNodeAffinity(30, "disk", "Exists", {}).PreferredNodeAffinity(10, "zone", "Exists", {});
  std::vector<api::PreferredSchedulingTerm>& terms = *pod.raw().spec.affinity->node_affinity->preferred;
  terms[1].preference.match_fields.push_back({"metadata.name", "In", {"c"}});
  PluginTrial trial(cluster, pod);

  EXPECT_THAT(trial.Score(NodeAffinityPriority("x")), ElementsAre(Pair("a", 10), Pair("b", 3)));
}

TEST(NodePrioritiesV116, FewerTaintsAreBetter) {
  cluster::Cluster cluster;
  cluster.AddNode(NodeBuilder("a").Taint("x", "", "PreferNoSchedule").Taint("y", "", "PreferNoSchedule"));
  cluster.AddNode(NodeBuilder("b").Taint("x", "", "PreferNoSchedule").Taint("z", "", "NoSchedule"));
  cluster.AddNode(NodeBuilder("c"));

  PluginTrial trial(cluster, PodBuilder("p"));
  EXPECT_THAT(trial.Score(TaintTolerationPriority("x")), ElementsAre(Pair("a", 0), Pair("b", 5), Pair("c", 10)));
  PluginTrial tolerant(cluster, PodBuilder("p").Toleration(""));
  EXPECT_THAT(tolerant.Score(TaintTolerationPriority("x")), ElementsAre(Pair("a", 10), Pair("b", 10), Pair("c", 10)));
}

TEST(NodePrioritiesV116, ImagesOfAllContainersShareOneRange) {
  cluster::Cluster cluster;
  cluster.AddNode(NodeBuilder("a").Image("app:1", 600 * kMebibytes).Image("db:latest", 1200 * kMebibytes));
  cluster.AddNode(NodeBuilder("b"));

  PluginTrial trial(cluster, PodBuilder("p").Image("app:1").Container("again").Image("db"));

  EXPECT_THAT(trial.Score(ImageLocalityPriority("x")), ElementsAre(Pair("a", 8), Pair("b", 0)));  // 300 + 600 MiB.
}

TEST(NodePrioritiesV116, NodeKnowsWhoElseHasAnImageByItsLastUpdate) {
  cluster::Cluster cluster;
  const api::Node a = NodeBuilder("a").Image("app:1", 1000 * kMebibytes);
  cluster.AddNode(a);
  cluster.AddNode(NodeBuilder("b").Image("app:1", 1000 * kMebibytes));
  const ImageLocalityPriority plugin("x");

  PluginTrial trial(cluster, PodBuilder("p").Image("app:1"));
  EXPECT_THAT(trial.Score(plugin), ElementsAre(Pair("a", 4), Pair("b", 10)));  // 500 and 1000 MiB.
  cluster.UpdateNode(&a, a);
  EXPECT_THAT(trial.Score(plugin), ElementsAre(Pair("a", 10), Pair("b", 10)));
}

TEST(NodePrioritiesV116, LabelsAndAnnotationsScoreAllOrNothing) {
  cluster::Cluster cluster;
  cluster.AddNode(
      NodeBuilder("a")
          .Label("disk", "ssd")
          .Annotation(
              "scheduler.alpha.kubernetes.io/preferAvoidPods",
              R"({"preferAvoidPods":[{"podSignature":{"podController":{"kind":"ReplicaSet","uid":"owner"}}}]})"));
  cluster.AddNode(NodeBuilder("b"));
  PluginTrial trial(cluster, PodBuilder("p").Owner("ReplicaSet", "r"));

  EXPECT_THAT(trial.Score(NodePreferAvoidPodsPriority("x")), ElementsAre(Pair("a", 0), Pair("b", 10)));
  EXPECT_THAT(trial.Score(NodeLabelPriority("x", "disk", true)), ElementsAre(Pair("a", 10), Pair("b", 0)));
  EXPECT_THAT(trial.Score(NodeLabelPriority("x", "disk", false)), ElementsAre(Pair("a", 0), Pair("b", 10)));
  EXPECT_THAT(trial.Score(EqualPriority("x")), ElementsAre(Pair("a", 1), Pair("b", 1)));
}

TEST(SpreadPrioritiesV116, ZoneCountsTwiceAsMuchAsTheNode) {
  cluster::Cluster cluster;
  const std::string zone(kBetaZoneLabel);
  cluster.AddNode(NodeBuilder("a").Label(zone, "1"));
  cluster.AddNode(NodeBuilder("b").Label(zone, "1"));
  cluster.AddNode(NodeBuilder("c").Label(zone, "2"));
  PlacePod(cluster, PodBuilder("old").Node("a").Label("app", "web"));
  PlacePod(cluster, PodBuilder("going").Node("c").Label("app", "web").Terminating());
  cluster.objects.services.Put(WebService());

  PluginTrial trial(cluster, PodBuilder("p").Label("app", "web"));
  EXPECT_THAT(trial.Score(SelectorSpreadPriority("x")), ElementsAre(Pair("a", 0), Pair("b", 3), Pair("c", 10)));

  PluginTrial alone(cluster, PodBuilder("p").Label("app", "other"));
  EXPECT_THAT(alone.Score(SelectorSpreadPriority("x")), ElementsAre(Pair("a", 10), Pair("b", 10), Pair("c", 10)));
}

TEST(SpreadPrioritiesV116, ServiceIsSpreadOverTheValuesOfALabel) {
  cluster::Cluster cluster;
  cluster.AddNode(NodeBuilder("a").Label("rack", "1"));
  cluster.AddNode(NodeBuilder("b").Label("rack", "2"));
  cluster.AddNode(NodeBuilder("c"));
  PlacePod(cluster, PodBuilder("one").Node("a").Label("app", "web"));
  PlacePod(cluster, PodBuilder("two").Node("c").Label("app", "web"));
  PlacePod(cluster, PodBuilder("three").Node("c").Label("app", "web"));
  cluster.objects.services.Put(WebService());

  PluginTrial trial(cluster, PodBuilder("p").Label("app", "web"));

  EXPECT_THAT(trial.Score(ServiceAntiAffinityPriority("x", "rack")),
              ElementsAre(Pair("a", 6), Pair("b", 10), Pair("c", 0)));
}

TEST(InterPodAffinityV116, RangeOfSumsIncludesZero) {
  cluster::Cluster cluster;
  cluster.AddNode(NodeBuilder("a").Label("zone", "1"));
  cluster.AddNode(NodeBuilder("b").Label("zone", "2"));
  PlacePod(cluster, PodBuilder("one").Node("a").Label("app", "web"));
  PlacePod(cluster, PodBuilder("two").Node("b").Label("app", "web"));
  PlacePod(cluster, PodBuilder("three").Node("b").Label("app", "web"));
  const InterPodAffinityPriority plugin{InterPodAffinity::Args()};

  PluginTrial trial(cluster, PodBuilder("p").PreferredAffinity(50, Term("zone", {{"app", "web"}})));
  ASSERT_TRUE(plugin.PreScore(trial.cycle(), trial.nodes()).ok());
  EXPECT_THAT(trial.Score(plugin), ElementsAre(Pair("a", 5), Pair("b", 10)));

  PluginTrial shy(cluster, PodBuilder("p").PreferredAntiAffinity(50, Term("zone", {{"app", "web"}})));
  ASSERT_TRUE(plugin.PreScore(shy.cycle(), shy.nodes()).ok());
  EXPECT_THAT(shy.Score(plugin), ElementsAre(Pair("a", 5), Pair("b", 0)));
}

}  // namespace
}  // namespace berth::plugins::legacy::v116
