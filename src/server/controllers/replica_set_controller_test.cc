// SPDX-License-Identifier: Apache-2.0
#include "server/controllers/replica_set_controller.h"

#include <gtest/gtest.h>

#include "server/test_cluster.h"

namespace berth::server {
namespace {

std::string ReplicaSet(int replicas) {
  return "metadata: {name: web}\nspec:\n  replicas: " + std::to_string(replicas) + R"(
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec: {containers: [{name: main, image: web}]}
)";
}

void Scale(TestCluster& cluster, int64_t replicas) {
  cluster.Change("apps", "replicasets", "web",
                 [&](Json& set) { set.Make("spec").Set("replicas", Json::Int(replicas)); });
}

TEST(ReplicaSetController, KeepsAsManyPodsAsAsked) {
  TestCluster cluster;
  cluster.AddNode("node-1");
  cluster.Create("apps", "replicasets", ReplicaSet(3));
  cluster.Run();

  const Json status = cluster.Tree("apps", "replicasets", "web")["status"];
  EXPECT_EQ(cluster.CountPods("Running"), 3U);
  EXPECT_EQ(status["replicas"].IntOr(0), 3);
  EXPECT_EQ(status["readyReplicas"].IntOr(0), 3);
  EXPECT_EQ(status["availableReplicas"].IntOr(0), 3);
  EXPECT_EQ(status["fullyLabeledReplicas"].IntOr(0), 3);
  EXPECT_EQ(status["observedGeneration"].IntOr(0), 1);
}

TEST(ReplicaSetController, MakesAndRemovesManyInBatches) {
  TestCluster cluster;
  cluster.Create("apps", "replicasets", ReplicaSet(0));
  Scale(cluster, 1000);
  cluster.Run(Seconds(1));
  EXPECT_EQ(cluster.Pods().size(), 1000U);
  Scale(cluster, 3);
  cluster.Run(Seconds(1));
  EXPECT_EQ(cluster.Pods().size(), 3U);
}

TEST(ReplicaSetController, ReplacesPodsThatGoOrFail) {
  TestCluster cluster;
  cluster.AddNode("node-1");
  cluster.Create("apps", "replicasets", ReplicaSet(2));
  cluster.Run();
  const std::string gone(cluster.Pods().front()->name());
  const std::string failed(cluster.Pods().back()->name());
  cluster.Delete("", "pods", gone);
  cluster.Change("", "pods", failed, [](Json& pod) { pod.Make("status").Set("phase", "Failed"); }, "status");
  cluster.Run();

  EXPECT_EQ(cluster.Find("", "pods", gone), nullptr);
  EXPECT_NE(cluster.Find("", "pods", failed), nullptr);
  EXPECT_EQ(cluster.CountPods("Running"), 2U);
}

TEST(ReplicaSetController, RemovesPodsThatDoNotRunFirst) {
  TestCluster cluster;
  cluster.AddNode("node-1");
  cluster.Create("apps", "replicasets", ReplicaSet(2));
  cluster.Run();
  cluster.nodes.clear();  // Nothing is bound from now on.
  Scale(cluster, 4);
  cluster.Run();
  ASSERT_EQ(cluster.CountPods("Pending"), 2U);
  Scale(cluster, 2);
  cluster.Run();
  EXPECT_EQ(cluster.CountPods("Pending"), 0U);
  EXPECT_EQ(cluster.CountPods("Running"), 2U);
}

TEST(ReplicaSetController, TakesOverPodsThatNobodyControls) {
  TestCluster cluster;
  cluster.Create("", "pods", "metadata: {name: alone, labels: {app: web}}\nspec: {containers: [{name: a, image: a}]}");
  cluster.Create("", "pods", "metadata: {name: other, labels: {app: db}}\nspec: {containers: [{name: a, image: a}]}");
  const ObjectPtr set = cluster.Create("apps", "replicasets", ReplicaSet(2));
  cluster.Run();
  EXPECT_EQ(cluster.Pods().size(), 3U);
  EXPECT_EQ(cluster.Tree("", "pods", "alone")["metadata"]["ownerReferences"][size_t{0}]["uid"].text(), set->uid());
  EXPECT_FALSE(cluster.Tree("", "pods", "other")["metadata"].Has("ownerReferences"));
}

TEST(ReplicaSetController, ServesReplicationControllersToo) {
  TestCluster cluster;
  cluster.Create("", "replicationcontrollers", R"(
metadata: {name: old}
spec:
  replicas: 2
  selector: {app: old}
  template: {metadata: {labels: {app: old}}, spec: {containers: [{name: a, image: a}]}}
)");
  cluster.Run();
  EXPECT_EQ(cluster.Pods().size(), 2U);
}

TEST(ReplicaSetController, ConvergesAfterARestartOfTheControllers) {
  TestCluster cluster(false);
  cluster.Create("apps", "replicasets", ReplicaSet(3));
  AddControllers(cluster.loop);
  cluster.loop.Start();
  cluster.Run();
  EXPECT_EQ(cluster.Pods().size(), 3U);
}

}  // namespace
}  // namespace berth::server
