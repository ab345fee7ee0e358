// SPDX-License-Identifier: Apache-2.0

#include "cluster/cluster.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cluster/test_builders.h"

namespace berth::cluster {
namespace {

using testing::ElementsAre;
using testing::Field;
using testing::IsEmpty;
using testing::Pair;

std::string Message(const Result<void>& result) { return result ? "" : result.error().message; }

NodeSlot SlotOf(const Cluster& cluster, std::string_view name) {
  NodeSlot slot;
  EXPECT_TRUE(cluster.nodes().Find(name, slot)) << name;
  return slot;
}

std::vector<std::string> OrderedNames(const Cluster& cluster) {
  std::vector<std::string> names;
  for (const NodeSlot slot : cluster.order()) names.push_back(cluster.nodes().name[slot.index]);
  return names;
}

std::vector<std::string> PodNames(const std::vector<PodPtr>& pods) {
  std::vector<std::string> names;
  for (const PodPtr& pod : pods) names.push_back(pod->name);
  return names;
}

TEST(Cluster, RefusesWhatDoesNotFitThePodsState) {
  Cluster cluster;
  const PodPtr pod = cluster.MakePod(PodBuilder("p").Node("n1"));
  const PodPtr elsewhere = cluster.MakePod(PodBuilder("p").Node("n2"));
  const PodPtr no_uid = cluster.MakePod(PodBuilder("p").Uid(""));

  EXPECT_EQ(Message(cluster.RemovePod(*pod)),
            "pod uid-p(default/p) is not found in scheduler cache, so cannot be removed from it");
  EXPECT_EQ(Message(cluster.UpdatePod(*pod, pod)),
            "pod uid-p(default/p) is not added to scheduler cache, so cannot be updated");
  EXPECT_EQ(Message(cluster.ForgetPod(*pod)), "");
  EXPECT_EQ(Message(cluster.AddPod(no_uid)), "cannot get cache key for pod with empty UID");
  EXPECT_EQ(Message(cluster.AssumePod(pod)), "");
  EXPECT_EQ(Message(cluster.AssumePod(pod)), "pod uid-p(default/p) is in the cache, so can't be assumed");
  EXPECT_EQ(Message(cluster.UpdatePod(*pod, pod)), "assumed pod uid-p(default/p) should not be updated");
  EXPECT_EQ(Message(cluster.ForgetPod(*elsewhere)), "pod uid-p(default/p) was assumed on n2 but assigned to n1");
  EXPECT_EQ(Message(cluster.AddPod(pod)), "");
  EXPECT_EQ(Message(cluster.AddPod(pod)), "pod uid-p(default/p) was already in added state");
  EXPECT_EQ(Message(cluster.ForgetPod(*pod)),
            "pod uid-p(default/p) is not assumed, so it cannot be removed or forgotten");
  EXPECT_THAT(Message(cluster.UpdatePod(*pod, elsewhere)), testing::StartsWith("scheduler cache is corrupted"));
  EXPECT_THAT(Message(cluster.RemovePod(*elsewhere)), testing::StartsWith("scheduler cache is corrupted"));
  EXPECT_EQ(cluster.pod_count(), 1U);
  EXPECT_EQ(cluster.FindPod("uid-p"), pod);
}

TEST(Cluster, AssumedPodCountsUntilItIsForgotten) {
  Cluster cluster;
  cluster.AddNode(NodeBuilder("n1").Capacity("4", "8Gi"));
  const PodPtr pod = cluster.MakePod(PodBuilder("p").Node("n1").Request("cpu", "2"));
  const NodeSlot slot = SlotOf(cluster, "n1");

  ASSERT_TRUE(cluster.AssumePod(pod));
  EXPECT_TRUE(cluster.IsAssumed("uid-p"));
  EXPECT_THAT(cluster.assumed_uids(), ElementsAre("uid-p"));
  EXPECT_EQ(cluster.nodes().requested_cpu[slot.index], 2000);

  ASSERT_TRUE(cluster.ForgetPod(*pod));
  EXPECT_FALSE(cluster.IsAssumed("uid-p"));
  EXPECT_EQ(cluster.nodes().requested_cpu[slot.index], 0);
  EXPECT_EQ(cluster.pod_count(), 0U);
}

TEST(Cluster, PodConfirmedElsewhereMoves) {
  Cluster cluster;
  cluster.AddNode(NodeBuilder("n1"));
  cluster.AddNode(NodeBuilder("n2"));

  ASSERT_TRUE(cluster.AssumePod(cluster.MakePod(PodBuilder("p").Node("n1").Request("cpu", "1"))));
  ASSERT_TRUE(cluster.AddPod(cluster.MakePod(PodBuilder("p").Node("n2").Request("cpu", "1"))));

  EXPECT_EQ(cluster.nodes().requested_cpu[SlotOf(cluster, "n1").index], 0);
  EXPECT_EQ(cluster.nodes().requested_cpu[SlotOf(cluster, "n2").index], 1000);
  EXPECT_THAT(cluster.assumed_uids(), IsEmpty());
}

TEST(Cluster, PodRemovedByAnOlderVersionLeavesItsNode) {
  Cluster cluster;
  ASSERT_TRUE(cluster.AddPod(cluster.MakePod(PodBuilder("p").Node("n1"))));

  ASSERT_TRUE(cluster.RemovePod(*cluster.MakePod(PodBuilder("p"))));

  NodeSlot slot;
  EXPECT_FALSE(cluster.nodes().Find("n1", slot));
}

TEST(Cluster, RowsOutliveTheirNodeWhileTheyHavePods) {
  Cluster cluster;
  const api::Node node = NodeBuilder("n1").Capacity("4", "8Gi").Allocatable("example.com/gpu", "2");
  const PodPtr pod = cluster.MakePod(PodBuilder("p").Node("n1").Claim("data"));
  ASSERT_TRUE(cluster.AddPod(pod));
  const NodeSlot slot = SlotOf(cluster, "n1");
  EXPECT_THAT(cluster.order(), IsEmpty());
  EXPECT_EQ(cluster.ClaimUsers("default/data"), 0);

  cluster.AddNode(node);
  EXPECT_THAT(OrderedNames(cluster), ElementsAre("n1"));
  EXPECT_EQ(cluster.ClaimUsers("default/data"), 1);
  EXPECT_EQ(cluster.nodes().pod_count[slot.index], 1);

  ASSERT_TRUE(cluster.RemoveNode(node));
  EXPECT_THAT(cluster.order(), IsEmpty());
  EXPECT_EQ(cluster.ClaimUsers("default/data"), 0);
  EXPECT_EQ(cluster.nodes().has_node[slot.index], 0);
  EXPECT_EQ(cluster.nodes().allocatable_cpu[slot.index], 4000);

  ASSERT_TRUE(cluster.RemovePod(*pod));
  EXPECT_EQ(cluster.nodes().row_count(), 0U);
  EXPECT_EQ(Message(cluster.RemoveNode(node)), "node n1 is not found");
}

TEST(Cluster, NodeRemovedUnderAnotherZoneIsReported) {
  Cluster cluster;
  cluster.AddNode(NodeBuilder("n1").Zone("z1"));

  EXPECT_EQ(Message(cluster.RemoveNode(NodeBuilder("n1"))), "node \"n1\" in group \"\" was not found");
  EXPECT_THAT(cluster.order(), IsEmpty());
  EXPECT_EQ(cluster.node_order().node_count(), 1U);
}

TEST(Cluster, NodesAreListedRoundRobinOverZones) {
  Cluster cluster;
  for (const auto& [name, zone] :
       {std::pair{"a1", "a"}, {"a2", "a"}, {"a3", "a"}, {"b1", "b"}, {"c1", "c"}, {"c2", "c"}}) {
    cluster.AddNode(NodeBuilder(name).Zone(zone));
  }
  EXPECT_THAT(OrderedNames(cluster), ElementsAre("a1", "b1", "c1", "a2", "c2", "a3"));

  const api::Node moved_from = NodeBuilder("a1").Zone("a");
  cluster.UpdateNode(&moved_from, NodeBuilder("a1").Zone("b"));
  EXPECT_THAT(OrderedNames(cluster), ElementsAre("a1", "b1", "c1", "a2", "c2", "a3")) << "no node came or went";

  cluster.AddNode(NodeBuilder("c3").Zone("c"));
  EXPECT_THAT(OrderedNames(cluster), ElementsAre("a2", "b1", "c1", "a3", "a1", "c2", "c3"));

  const api::Node gone = NodeBuilder("c1").Zone("c");
  ASSERT_TRUE(cluster.RemoveNode(gone));
  cluster.AddNode(gone);
  EXPECT_THAT(OrderedNames(cluster), ElementsAre("a2", "b1", "c1", "a3", "a1", "c2", "c3")) << "it was back in time";
}

TEST(Cluster, ImagesFollowTheNodes) {
  Cluster cluster;
  const api::Node first = NodeBuilder("n1").Image("web", 100);
  cluster.AddNode(first);
  cluster.AddNode(NodeBuilder("n2").Image("web", 200));
  ASSERT_NE(cluster.images().Find("web"), nullptr);
  EXPECT_EQ(cluster.images().Find("web")->size_bytes, 100);
  EXPECT_EQ(cluster.images().Find("web")->nodes.size(), 2U);

  ASSERT_TRUE(cluster.RemoveNode(first));
  EXPECT_THAT(cluster.images().Find("web")->nodes, ElementsAre(SlotOf(cluster, "n2")));

  cluster.UpdateNode(nullptr, NodeBuilder("n2"));
  EXPECT_EQ(cluster.images().Find("web"), nullptr);
}

TEST(Cluster, RowAddsUpItsPods) {
  Cluster cluster;
  cluster.AddNode(NodeBuilder("n1").Allocatable("example.com/gpu", "4"));
  const auto add = [&](const PodBuilder& pod) { ASSERT_TRUE(cluster.AddPod(cluster.MakePod(pod))); };
  add(PodBuilder("a").Node("n1").Request("example.com/gpu", "2").HostPort(80).Claim("data"));
  add(PodBuilder("b").Node("n1").AntiAffinity(Term("zone", {{"app", "x"}})).Claim("data"));
  add(PodBuilder("c").Node("n1").Affinity(Term("zone", {{"app", "x"}})).HostPort(80, "UDP", "10.0.0.1"));
  const uint32_t row = SlotOf(cluster, "n1").index;
  const NodePods& pods = cluster.nodes().pods[row];
  ResourceId gpu;
  ASSERT_TRUE(cluster.resource_names().Find("example.com/gpu", gpu));

  EXPECT_THAT(PodNames(pods.pods), ElementsAre("a", "b", "c"));
  EXPECT_THAT(PodNames(pods.with_affinity), ElementsAre("b", "c"));
  EXPECT_THAT(PodNames(pods.with_required_anti_affinity), ElementsAre("b"));
  EXPECT_THAT(pods.pvc_counts, ElementsAre(Pair("default/data", 2)));
  EXPECT_THAT(pods.used_ports, ElementsAre(UsedPort{"0.0.0.0", "TCP", 80}, UsedPort{"10.0.0.1", "UDP", 80}));
  EXPECT_EQ(cluster.nodes().Scalar(gpu)->requested[row], 2);

  ASSERT_TRUE(cluster.RemovePod(*cluster.FindPod("uid-a")));
  EXPECT_THAT(PodNames(pods.pods), ElementsAre("c", "b"));
  EXPECT_THAT(pods.used_ports, ElementsAre(UsedPort{"10.0.0.1", "UDP", 80}));
  EXPECT_EQ(cluster.nodes().Scalar(gpu)->requested[row], 0);
  EXPECT_THAT(pods.requested_scalars, ElementsAre(Field(&RequestedScalar::pods, 0))) << "the name stays";
  EXPECT_EQ(cluster.nodes().nonzero_cpu[row], 200);
}

TEST(Cluster, NamespaceLabelsAreEmptyWhereUnknown) {
  Cluster cluster;
  api::Namespace team;
  team.meta.name = "team";
  team.meta.labels = {{"env", "prod"}};
  cluster.objects.namespaces.Put(team);

  EXPECT_EQ(cluster.NamespaceLabels("team").Get("env"), "prod");
  EXPECT_TRUE(cluster.NamespaceLabels("other").empty());
}

}  // namespace
}  // namespace berth::cluster
