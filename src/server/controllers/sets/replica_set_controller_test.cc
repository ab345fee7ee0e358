// SPDX-License-Identifier: Apache-2.0
#include "server/controllers/sets/replica_set_controller.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

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

TEST(ReplicaSetController, TakesOverAPodThatBeginsToMatchAndLetsGoOfOneThatCeasesTo) {
  TestCluster cluster;
  const ObjectPtr set = cluster.Create("apps", "replicasets", ReplicaSet(2));
  cluster.Run(Milliseconds(100));
  const std::string name(cluster.Pods().front()->name());
  const auto label = [&](std::string_view app) {
    cluster.Change("", "pods", name, [&](Json& pod) { pod.Make({"metadata", "labels"}).Set("app", app); });
    cluster.Run(Milliseconds(100));
  };

  label("other");

  EXPECT_FALSE(cluster.Tree("", "pods", name)["metadata"].Has("ownerReferences"));
  EXPECT_EQ(cluster.Pods().size(), 3U);
  label("web");
  EXPECT_EQ(cluster.Pods().size(), 2U);
}

TEST(ReplicaSetController, SaysWhyItCannotMakePodsAsLongAsThatIsSo) {
  TestCluster cluster;
  cluster.Create("", "resourcequotas", "metadata: {name: few}\nspec: {hard: {pods: 1}}");
  cluster.Run(Milliseconds(100));
  cluster.Create("apps", "replicasets", ReplicaSet(2));
  cluster.Run(Milliseconds(500));

  const Json condition = cluster.Tree("apps", "replicasets", "web")["status"]["conditions"][size_t{0}];
  const std::string why = condition["message"].text();
  EXPECT_EQ(condition["type"].text(), "ReplicaFailure");
  EXPECT_EQ(condition["status"].text(), "True");
  EXPECT_EQ(condition["reason"].text(), "FailedCreate");
  EXPECT_THAT(why, testing::StartsWith("pods \"web-"));
  EXPECT_THAT(why, testing::HasSubstr("exceeded quota: few, requested: pods=1, used: pods=1, limited: pods=1"));
  EXPECT_THAT(cluster.Events("web"), testing::Contains("Warning FailedCreate: Error creating: " + why));
  Scale(cluster, 1);
  cluster.Run();
  EXPECT_FALSE(cluster.Tree("apps", "replicasets", "web")["status"].Has("conditions"));
}

TEST(ReplicaSetController, PodsAreAvailableOnceTheyHaveBeenReadyLongEnough) {
  TestCluster cluster;
  cluster.AddNode("node-1");
  cluster.Create("apps", "replicasets", ReplicaSet(0));
  cluster.Change("apps", "replicasets", "web", [](Json& set) {
    set.Make("spec").Set("minReadySeconds", Json::Int(5));
    set.Make("spec").Set("replicas", Json::Int(2));
  });
  const auto status = [&](const char* count) {
    return cluster.Tree("apps", "replicasets", "web")["status"][count].IntOr(0);
  };

  cluster.Run(Seconds(3));

  EXPECT_EQ(status("readyReplicas"), 2);
  EXPECT_EQ(status("availableReplicas"), 0);
  cluster.Run(Seconds(4));
  EXPECT_EQ(status("availableReplicas"), 2);
}

TEST(ReplicaSetController, RemovesPodsOfLowCostFirstAndThenThoseThatStandInACrowd) {
  TestCluster cluster;
  cluster.AddNode("node-1");
  cluster.Create("apps", "replicasets", ReplicaSet(3));
  cluster.Run(Seconds(1));
  const std::string cheap(cluster.Pods().front()->name());
  cluster.Change("", "pods", cheap, [](Json& pod) {
    pod.Make({"metadata", "annotations"}).Set("controller.kubernetes.io/pod-deletion-cost", "-1");
  });
  Scale(cluster, 2);
  cluster.Run(Seconds(1));
  EXPECT_EQ(cluster.Find("", "pods", cheap), nullptr);
  cluster.nodes = {};
  cluster.AddNode("node-2");
  Scale(cluster, 3);
  cluster.Run(Seconds(1));

  Scale(cluster, 2);
  cluster.Run(Seconds(1));

  // The one on node-2 is the newest, but alone there.
  std::map<std::string, size_t> by_node;
  for (const ObjectPtr& pod : cluster.Pods()) ++by_node[std::string(pod->Field("spec.nodeName"))];
  EXPECT_EQ(by_node, (std::map<std::string, size_t>{{"node-1", 1}, {"node-2", 1}}));
}

TEST(ReplicaSetController, ReportsItsPodsAndOfManyAFew) {
  TestCluster cluster;
  cluster.Create("apps", "replicasets", ReplicaSet(1));
  cluster.Run(Milliseconds(100));
  const std::string name(cluster.Pods().front()->name());
  Scale(cluster, 0);
  cluster.Run(Milliseconds(100));
  EXPECT_THAT(cluster.Events("web"), testing::UnorderedElementsAre("Normal SuccessfulCreate: Created pod: " + name,
                                                                   "Normal SuccessfulDelete: Deleted pod: " + name));

  Scale(cluster, 100);
  cluster.Run(Milliseconds(200));

  const std::vector<std::string> events = cluster.Events("web");
  EXPECT_EQ(events.size(), 12U);
  EXPECT_THAT(events, testing::Contains(testing::StartsWith(
                          "Normal SuccessfulCreate: (combined from similar events): Created pod: web-")));
}

TEST(ReplicaSetController, AReplicationControllerThatIsDeletedLeavesItsPodsUnlessItIsTold) {
  using Propagation = DeleteOptions::Propagation;
  for (const auto propagation : {Propagation::kDefault, Propagation::kBackground}) {
    TestCluster cluster;
    cluster.Create("", "replicationcontrollers", R"(
metadata: {name: old}
spec: {replicas: 2, selector: {app: old}, template: {metadata: {labels: {app: old}}, spec: {containers: [{name: a, image: a}]}}}
)");
    cluster.Run(Milliseconds(200));

    cluster.Delete("", "replicationcontrollers", "old", {.propagation = propagation});
    cluster.Run(Milliseconds(500));

    EXPECT_EQ(cluster.Find("", "replicationcontrollers", "old"), nullptr);
    EXPECT_EQ(cluster.Pods().size(), propagation == Propagation::kDefault ? 2U : 0U);
    for (const ObjectPtr& pod : cluster.Pods()) EXPECT_TRUE(pod->owners().empty());
  }
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
