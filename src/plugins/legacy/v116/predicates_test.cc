// SPDX-License-Identifier: Apache-2.0
// The predicates of v1.16 that look at pods and nodes only.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "plugins/helpers/plugin_trial.h"
#include "plugins/legacy/v116/general_predicates.h"
#include "plugins/legacy/v116/inter_pod_affinity.h"
#include "plugins/legacy/v116/node_predicates.h"
#include "plugins/legacy/v116/service_affinity.h"

namespace berth::plugins::legacy::v116 {
namespace {

using cluster::NodeBuilder;
using cluster::PodBuilder;
using cluster::Term;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::Pair;

void AddRunning(cluster::Cluster& cluster, const PodBuilder& pod) {
  ASSERT_TRUE(cluster.AddPod(cluster.MakePod(pod)).has_value());
}

TEST(GeneralPredicatesV116, AllPartsThatFailAreReported) {
  cluster::Cluster cluster;
  cluster.AddNode(NodeBuilder("a").Capacity("1", "1Gi", "1").Label("disk", "hdd"));
  AddRunning(cluster, PodBuilder("old").Node("a").Request("cpu", "500m").HostPort(80));
  PluginTrial trial(cluster, PodBuilder("p")
                                 .Request("cpu", "1")
                                 .Request("memory", "2Gi")
                                 .Request("example.com/gpu", "1")
                                 .HostPort(80)
                                 .NodeSelector("disk", "ssd"));

  EXPECT_THAT(
      trial.Filter(GeneralPredicates("GeneralPredicates", GeneralPredicates::kAllParts, {})),
      ElementsAre(Pair("a",
                       "UnschedulableAndUnresolvable: Insufficient pods, Insufficient cpu, Insufficient memory, "
                       "Insufficient example.com/gpu, node(s) didn't have free ports for the requested pod "
                       "ports, node(s) didn't match node selector")));
  EXPECT_THAT(trial.Filter(GeneralPredicates("PodFitsHostPorts", GeneralPredicates::kPorts, {})),
              ElementsAre(Pair("a", "Unschedulable: node(s) didn't have free ports for the requested pod ports")));
  EXPECT_THAT(trial.Filter(GeneralPredicates("HostName", GeneralPredicates::kHost, {})), IsEmpty());
}

TEST(GeneralPredicatesV116, ShortageOfAnyResourceCountsForPodsThatRequestSomething) {
  cluster::Cluster cluster;
  cluster.AddNode(NodeBuilder("a").Capacity("1", "1Gi"));
  AddRunning(cluster, PodBuilder("old").Node("a").Request("cpu", "2"));
  const GeneralPredicates plugin("PodFitsResources", GeneralPredicates::kResources, {"example.com/gpu"});

  PluginTrial some(cluster, PodBuilder("p").Request("memory", "1Mi").Request("example.com/gpu", "1"));
  EXPECT_THAT(some.Filter(plugin), ElementsAre(Pair("a", "Unschedulable: Insufficient cpu")));

  PluginTrial none(cluster, PodBuilder("p"));
  EXPECT_THAT(none.Filter(plugin), IsEmpty());
}

TEST(NodePredicatesV116, CordonsTaintsAndLabelsKeepPodsAway) {
  cluster::Cluster cluster;
  cluster.AddNode(NodeBuilder("cordoned").Unschedulable());
  cluster.AddNode(NodeBuilder("retired").Label("retired", "yes"));
  cluster.AddNode(NodeBuilder("tainted").Taint("gpu", "", "NoExecute").Taint("x", "", "PreferNoSchedule"));
  PluginTrial trial(cluster, PodBuilder("p"));

  EXPECT_THAT(trial.Filter(CheckNodeUnschedulable("CheckNodeUnschedulable")),
              ElementsAre(Pair("cordoned", "UnschedulableAndUnresolvable: node(s) were unschedulable")));
  EXPECT_THAT(
      trial.Filter(PodToleratesNodeTaints("PodToleratesNodeTaints")),
      ElementsAre(Pair("tainted", "UnschedulableAndUnresolvable: node(s) had taints that the pod didn't tolerate")));
  EXPECT_THAT(trial.Filter(CheckNodeLabelPresence("x", {}, {"retired"})),
              ElementsAre(Pair("retired", "UnschedulableAndUnresolvable: node(s) didn't have the requested labels")));

  PluginTrial tolerant(cluster, PodBuilder("p").Toleration("node.kubernetes.io/unschedulable"));
  EXPECT_THAT(tolerant.Filter(CheckNodeUnschedulable("CheckNodeUnschedulable")), IsEmpty());
}

TEST(ServiceAffinityV116, PodsOfAServiceGoWhereTheFirstOneWent) {
  cluster::Cluster cluster;
  cluster.AddNode(NodeBuilder("a").Label("zone", "1").Label("disk", "ssd"));
  cluster.AddNode(NodeBuilder("b").Label("zone", "2"));
  AddRunning(cluster, PodBuilder("old").Node("a").Label("app", "web"));
  const CheckServiceAffinity plugin("CheckServiceAffinity", {"zone", "region"});

  PluginTrial before(cluster, PodBuilder("p").Label("app", "web"));
  EXPECT_TRUE(plugin.PreFilter(before.cycle()).status.ok());
  EXPECT_THAT(before.Filter(plugin), IsEmpty());  // No service selects it.

  api::Service service;
  service.meta.ns = "default";
  service.meta.name = "web";
  service.selector = api::Labels{{"app", "web"}};
  cluster.objects.services.Put(service);
  PluginTrial after(cluster, PodBuilder("p").Label("app", "web"));
  EXPECT_TRUE(plugin.PreFilter(after.cycle()).status.ok());
  EXPECT_THAT(after.Filter(plugin), ElementsAre(Pair("b", "Unschedulable: node(s) didn't match service affinity")));

  PluginTrial other(cluster, PodBuilder("p").Label("app", "web").NodeSelector("zone", "2"));
  EXPECT_TRUE(plugin.PreFilter(other.cycle()).status.ok());
  EXPECT_THAT(other.Filter(plugin), ElementsAre(Pair("a", "Unschedulable: node(s) didn't match service affinity")));
}

TEST(InterPodAffinityV116, RejectionsHaveTwoReasons) {
  cluster::Cluster cluster;
  cluster.AddNode(NodeBuilder("a").Label("zone", "1"));
  cluster.AddNode(NodeBuilder("b").Label("zone", "2"));
  cluster.AddNode(NodeBuilder("c"));
  AddRunning(cluster, PodBuilder("old").Node("a").Label("app", "db").AntiAffinity(Term("zone", {{"app", "web"}})));
  const MatchInterPodAffinity plugin;

  PluginTrial trial(cluster, PodBuilder("p").Label("app", "web").Affinity(Term("zone", {{"app", "db"}})));
  EXPECT_TRUE(plugin.PreFilter(trial.cycle()).status.ok());
  EXPECT_THAT(
      trial.Filter(plugin),
      ElementsAre(
          Pair("a",
               "Unschedulable: node(s) didn't match pod affinity/anti-affinity, node(s) didn't satisfy existing "
               "pods anti-affinity rules"),
          Pair("b",
               "UnschedulableAndUnresolvable: node(s) didn't match pod affinity/anti-affinity, node(s) didn't "
               "match pod affinity rules"),
          Pair("c",
               "UnschedulableAndUnresolvable: node(s) didn't match pod affinity/anti-affinity, node(s) didn't "
               "match pod affinity rules")));
}

TEST(InterPodAffinityV116, FirstPodOfASeriesMayGoAnywhere) {
  cluster::Cluster cluster;
  cluster.AddNode(NodeBuilder("a").Label("zone", "1"));
  cluster.AddNode(NodeBuilder("b"));
  const MatchInterPodAffinity plugin;

  PluginTrial trial(cluster, PodBuilder("p").Label("app", "web").Affinity(Term("zone", {{"app", "web"}})));

  EXPECT_TRUE(plugin.PreFilter(trial.cycle()).status.ok());
  EXPECT_THAT(trial.Filter(plugin), IsEmpty());
}

TEST(InterPodAffinityV116, NominatedPodCountsForItsOwnTermsOnly) {
  cluster::Cluster cluster;
  cluster.AddNode(NodeBuilder("a"));
  const MatchInterPodAffinity plugin;
  const std::string host = "kubernetes.io/hostname";
  const cluster::PodPtr nominated =
      cluster.MakePod(PodBuilder("n").Label("app", "db").AntiAffinity(Term(host, {{"app", "web"}})));
  cluster.nominated.Set(nominated, "a");

  PluginTrial shy(cluster, PodBuilder("p").Label("app", "x").AntiAffinity(Term(host, {{"app", "db"}})));
  EXPECT_TRUE(plugin.PreFilter(shy.cycle()).status.ok());
  EXPECT_TRUE(plugin.AddPod(shy.cycle(), *nominated, shy.nodes()[0]).ok());
  EXPECT_THAT(shy.Filter(plugin), IsEmpty());

  PluginTrial unwanted(cluster, PodBuilder("p").Label("app", "web"));
  EXPECT_TRUE(plugin.PreFilter(unwanted.cycle()).status.ok());
  EXPECT_TRUE(plugin.AddPod(unwanted.cycle(), *nominated, unwanted.nodes()[0]).ok());
  EXPECT_EQ(unwanted.Filter(plugin).size(), 1);
  EXPECT_TRUE(plugin.RemovePod(unwanted.cycle(), *nominated, unwanted.nodes()[0]).ok());
  EXPECT_THAT(unwanted.Filter(plugin), IsEmpty());
}

}  // namespace
}  // namespace berth::plugins::legacy::v116
