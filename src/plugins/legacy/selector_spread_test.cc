// SPDX-License-Identifier: Apache-2.0
#include "plugins/legacy/selector_spread.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cluster/test_builders.h"
#include "plugins/helpers/test_run.h"

namespace berth::plugins::legacy {
namespace {

using cluster::MatchLabels;
using cluster::NodeBuilder;
using cluster::PodBuilder;

template <class T, class Selector>
void PutOwner(cluster::ObjectStore<T>& store, const std::string& name, Selector selector) {
  T object;
  object.meta.ns = "default";
  object.meta.name = name;
  object.selector = std::move(selector);
  store.Put(std::move(object));
}

void PutPod(cluster::Cluster& cluster, const std::string& name, const std::string& node, api::Labels labels) {
  ASSERT_TRUE(cluster.AddPod(cluster.MakePod(PodBuilder(name).Node(node).Labels(std::move(labels)))).has_value());
}

Numbers SpreadScores(cluster::Cluster& cluster, const PodBuilder& pod, Release release = Release::kV122) {
  const SelectorSpread plugin(release);
  return TestRun<SelectorSpread>(plugin, cluster, pod).FinalScores();
}

TEST(SelectorSpread, FewPodsOfTheServiceOnANodeAreGood) {
  cluster::Cluster cluster;
  for (const char* name : {"a", "b", "c"}) cluster.AddNode(NodeBuilder(name));
  PutOwner(cluster.objects.services, "s", std::optional(api::Labels{{"app", "web"}}));
  PutPod(cluster, "1", "a", {{"app", "web"}});
  PutPod(cluster, "2", "a", {{"app", "web"}});
  PutPod(cluster, "3", "a", {{"app", "web"}});
  PutPod(cluster, "4", "b", {{"app", "web"}});
  PutPod(cluster, "5", "c", {{"app", "db"}});

  EXPECT_EQ(SpreadScores(cluster, PodBuilder("p").Label("app", "web")), (Numbers{{"a", 0}, {"b", 66}, {"c", 100}}));
}

TEST(SelectorSpread, ZonesCountTwiceAsMuchAsNodes) {
  cluster::Cluster cluster;
  cluster.AddNode(NodeBuilder("a1").Zone("a"));
  cluster.AddNode(NodeBuilder("a2").Zone("a"));
  cluster.AddNode(NodeBuilder("b").Zone("b"));
  cluster.AddNode(NodeBuilder("c").Zone("c"));
  cluster.AddNode(NodeBuilder("nowhere"));
  PutOwner(cluster.objects.services, "s", std::optional(api::Labels{{"app", "web"}}));
  PutPod(cluster, "1", "a1", {{"app", "web"}});
  PutPod(cluster, "2", "a1", {{"app", "web"}});
  PutPod(cluster, "3", "b", {{"app", "web"}});
  PutPod(cluster, "4", "nowhere", {{"app", "web"}});

  EXPECT_EQ(SpreadScores(cluster, PodBuilder("p").Label("app", "web")),
            (Numbers{{"a1", 0}, {"a2", 33}, {"b", 50}, {"c", 100}, {"nowhere", 50}}));
}

TEST(SelectorSpread, AllNodesAreEqualWithoutServicesAndControllers) {
  cluster::Cluster cluster;
  cluster.AddNode(NodeBuilder("a").Zone("a"));
  cluster.AddNode(NodeBuilder("b"));
  PutPod(cluster, "1", "a", {{"app", "web"}});

  EXPECT_EQ(SpreadScores(cluster, PodBuilder("p").Label("app", "web")), (Numbers{{"a", 100}, {"b", 100}}));
}

TEST(SelectorSpread, PodsThatSayHowTheyAreSpreadAreLeftAlone) {
  cluster::Cluster cluster;
  cluster.AddNode(NodeBuilder("a"));
  PutOwner(cluster.objects.services, "s", std::optional(api::Labels{{"app", "web"}}));

  EXPECT_EQ(SpreadScores(cluster, PodBuilder("p").Label("app", "web").Spread(1, "zone", "ScheduleAnyway", {})),
            (Numbers{{"a", 0}}));
}

TEST(SelectorSpread, V121TakesEveryControllerThatSelectsThePodV122ItsOwner) {
  cluster::Cluster cluster;
  for (const char* name : {"a", "b"}) cluster.AddNode(NodeBuilder(name));
  PutOwner(cluster.objects.replica_sets, "mine", std::optional(MatchLabels({{"app", "web"}})));
  PutOwner(cluster.objects.stateful_sets, "another", std::optional(MatchLabels({{"tier", "front"}})));
  PutOwner(cluster.objects.replica_sets, "all", std::optional(MatchLabels({})));
  PutPod(cluster, "1", "a", {{"app", "web"}});
  PutPod(cluster, "2", "b", {{"app", "web"}, {"tier", "front"}});
  const PodBuilder pod = PodBuilder("p").Label("app", "web").Label("tier", "front").Owner("ReplicaSet", "mine");

  EXPECT_EQ(SpreadScores(cluster, pod, Release::kV122), (Numbers{{"a", 0}, {"b", 0}}));
  EXPECT_EQ(SpreadScores(cluster, pod, Release::kV121), (Numbers{{"a", 100}, {"b", 0}}));
}

}  // namespace
}  // namespace berth::plugins::legacy
