// SPDX-License-Identifier: Apache-2.0
#include "plugins/legacy/service_affinity.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "plugins/helpers/plugin_trial.h"

namespace berth::plugins::legacy {
namespace {

using cluster::NodeBuilder;
using cluster::PodBuilder;
using testing::ElementsAre;
using testing::Pair;

const std::string kMismatch = "Unschedulable: node(s) didn't match service affinity";

void PutService(cluster::Cluster& cluster, const std::string& name, std::optional<api::Labels> selector) {
  api::Service service;
  service.meta.ns = "default";
  service.meta.name = name;
  service.selector = std::move(selector);
  cluster.objects.services.Put(std::move(service));
}

void AddPodOn(cluster::Cluster& cluster, const PodBuilder& pod) {
  ASSERT_TRUE(cluster.AddPod(cluster.MakePod(pod)).has_value());
}

// Racks r1 (a1, a2) and r2 (b1, b2), and a node outside.
void AddRacks(cluster::Cluster& cluster) {
  cluster.AddNode(NodeBuilder("a1").Label("rack", "r1").Label("row", "1"));
  cluster.AddNode(NodeBuilder("a2").Label("rack", "r1").Label("row", "2"));
  cluster.AddNode(NodeBuilder("b1").Label("rack", "r2").Label("row", "1"));
  cluster.AddNode(NodeBuilder("b2").Label("rack", "r2").Label("row", "2"));
  cluster.AddNode(NodeBuilder("outside"));
}

ServiceAffinity Affinity(std::vector<std::string> labels) {
  return ServiceAffinity({.affinity_labels = std::move(labels), .anti_affinity_labels_preference = {}});
}

std::map<std::string, std::string> Rejections(cluster::Cluster& cluster, const PodBuilder& pod,
                                              const ServiceAffinity& plugin) {
  PluginTrial trial(cluster, pod);
  EXPECT_TRUE(plugin.PreFilter(trial.cycle()).status.ok());
  return trial.Filter(plugin);
}

TEST(ServiceAffinity, NodeSelectorCountsWithoutServices) {
  cluster::Cluster cluster;
  AddRacks(cluster);

  EXPECT_THAT(
      Rejections(cluster, PodBuilder("p").NodeSelector("rack", "r1").NodeSelector("row", "2"), Affinity({"rack"})),
      ElementsAre(Pair("b1", kMismatch), Pair("b2", kMismatch), Pair("outside", kMismatch)));
  EXPECT_THAT(Rejections(cluster, PodBuilder("p").NodeSelector("rack", "r1"), Affinity({})), ElementsAre());
}

TEST(ServiceAffinity, FirstPodAlikeDecidesWhatTheSelectorLeavesOpen) {
  cluster::Cluster cluster;
  AddRacks(cluster);
  PutService(cluster, "s", api::Labels{{"app", "web"}});
  AddPodOn(cluster, PodBuilder("late").Node("b2").Label("app", "web"));
  AddPodOn(cluster, PodBuilder("other").Node("a1").Label("app", "db"));
  AddPodOn(cluster, PodBuilder("elsewhere").Namespace("ns").Node("a1").Label("app", "web"));
  AddPodOn(cluster, PodBuilder("first").Node("a2").Label("app", "web").Label("more", "labels"));
  const PodBuilder pod = PodBuilder("p").Label("app", "web");

  EXPECT_THAT(Rejections(cluster, pod, Affinity({"rack"})),
              ElementsAre(Pair("b1", kMismatch), Pair("b2", kMismatch), Pair("outside", kMismatch)));
  EXPECT_THAT(
      Rejections(cluster, PodBuilder(pod).NodeSelector("row", "1"), Affinity({"rack", "row"})),
      ElementsAre(Pair("a2", kMismatch), Pair("b1", kMismatch), Pair("b2", kMismatch), Pair("outside", kMismatch)));
  // The node lacks that label, so it stays open.
  EXPECT_THAT(Rejections(cluster, pod, Affinity({"zone"})), ElementsAre());
}

TEST(ServiceAffinity, PodsAlikeAreNotAskedWithoutAService) {
  cluster::Cluster cluster;
  AddRacks(cluster);
  PutService(cluster, "nothing", std::nullopt);
  PutService(cluster, "others", api::Labels{{"app", "db"}});
  AddPodOn(cluster, PodBuilder("first").Node("a2").Label("app", "web"));

  EXPECT_THAT(Rejections(cluster, PodBuilder("p").Label("app", "web"), Affinity({"rack"})), ElementsAre());
}

TEST(ServiceAffinity, TrialsLeaveTheOrderOfPodsAsItWas) {
  cluster::Cluster cluster;
  AddRacks(cluster);
  PutService(cluster, "s", api::Labels{{"app", "web"}});
  AddPodOn(cluster, PodBuilder("first").Node("a1").Label("app", "web"));
  AddPodOn(cluster, PodBuilder("second").Node("b1").Label("app", "web"));
  const ServiceAffinity plugin = Affinity({"rack"});
  PluginTrial trial(cluster, PodBuilder("p").Label("app", "web"));
  ASSERT_TRUE(plugin.PreFilter(trial.cycle()).status.ok());
  const cluster::PodPtr first = cluster.FindPod("uid-first");
  cluster::NodeSlot a1;
  ASSERT_TRUE(cluster.nodes().Find("a1", a1));

  ASSERT_TRUE(plugin.RemovePod(trial.cycle(), *first, a1).ok());
  EXPECT_THAT(trial.Filter(plugin),
              ElementsAre(Pair("a1", kMismatch), Pair("a2", kMismatch), Pair("outside", kMismatch)));

  ASSERT_TRUE(plugin.AddPod(trial.cycle(), *first, a1).ok());
  EXPECT_THAT(trial.Filter(plugin),
              ElementsAre(Pair("b1", kMismatch), Pair("b2", kMismatch), Pair("outside", kMismatch)));
}

TEST(ServiceAffinity, PodThatIsOnlyNominatedHasNoNodeToAsk) {
  cluster::Cluster cluster;
  AddRacks(cluster);
  PutService(cluster, "s", api::Labels{{"app", "web"}});
  const ServiceAffinity plugin = Affinity({"rack"});
  PluginTrial trial(cluster, PodBuilder("p").Label("app", "web"));
  ASSERT_TRUE(plugin.PreFilter(trial.cycle()).status.ok());
  const cluster::PodPtr nominated = cluster.MakePod(PodBuilder("nominated").Label("app", "web"));

  ASSERT_TRUE(plugin.AddPod(trial.cycle(), *nominated, trial.nodes().front()).ok());
  trial.Filter(plugin);

  EXPECT_EQ(trial.cycle().candidates().error().message(), "node not found");
}

TEST(ServiceAffinity, ScoreFavoursLabelValuesWithFewPodsOfTheService) {
  cluster::Cluster cluster;
  AddRacks(cluster);
  PutService(cluster, "s", api::Labels{{"app", "web"}});
  PutService(cluster, "t", api::Labels{{"tier", "front"}});
  AddPodOn(cluster, PodBuilder("1").Node("a1").Label("app", "web"));
  AddPodOn(cluster, PodBuilder("2").Node("a2").Label("app", "web"));
  AddPodOn(cluster, PodBuilder("3").Node("b1").Label("app", "web"));
  AddPodOn(cluster, PodBuilder("4").Node("outside").Label("app", "web"));
  AddPodOn(cluster, PodBuilder("leaving").Node("b2").Label("app", "web").Terminating());
  AddPodOn(cluster, PodBuilder("other").Node("b2").Label("tier", "front"));
  const auto score = [&](std::vector<std::string> labels, const PodBuilder& pod) {
    PluginTrial trial(cluster, pod);
    return trial.Score(ServiceAffinity({.affinity_labels = {}, .anti_affinity_labels_preference = std::move(labels)}));
  };
  const PodBuilder pod = PodBuilder("p").Label("app", "web").Label("tier", "front");

  EXPECT_THAT(score({"rack"}, pod),
              ElementsAre(Pair("a1", 50), Pair("a2", 50), Pair("b1", 75), Pair("b2", 75), Pair("outside", 0)));
  // Rows: two pods in row 1, one in row 2. Two labels count half each.
  EXPECT_THAT(score({"rack", "row"}, pod),
              ElementsAre(Pair("a1", 50), Pair("a2", 62), Pair("b1", 62), Pair("b2", 75), Pair("outside", 0)));
  EXPECT_THAT(score({"rack"}, PodBuilder("alone")),
              ElementsAre(Pair("a1", 100), Pair("a2", 100), Pair("b1", 100), Pair("b2", 100), Pair("outside", 0)));
}

TEST(ServiceAffinity, V122NeedsArguments) {
  const framework::FeatureGates gates;
  const framework::PluginArgs none;

  EXPECT_EQ(ServiceAffinity::Create({none, gates}, Release::kV122).error().message,
            "want args to be of type ServiceAffinityArgs, got <nil>");
  EXPECT_TRUE(ServiceAffinity::Create({none, gates}, Release::kV121).has_value());
}

}  // namespace
}  // namespace berth::plugins::legacy
