// SPDX-License-Identifier: Apache-2.0
#include "server/controllers/deployment_controller.h"

#include <gtest/gtest.h>

#include "server/test_cluster.h"

namespace berth::server {
namespace {

constexpr std::string_view kDeployment = R"(
metadata: {name: web, annotations: {kubernetes.io/change-cause: first}}
spec:
  replicas: 4
  selector: {matchLabels: {app: web}}
  strategy: {rollingUpdate: {maxSurge: 1, maxUnavailable: 1}}
  template:
    metadata: {labels: {app: web}}
    spec: {containers: [{name: main, image: web:1}]}
)";

void SetImage(TestCluster& cluster, std::string_view image) {
  cluster.Change("apps", "deployments", "web", [&](Json& deployment) {
    deployment.Make({"spec", "template", "spec", "containers"}).mutable_items()[0].Set("image", image);
  });
}

std::vector<Json> Sets(const TestCluster& cluster) {
  std::vector<Json> sets;
  for (const auto& [key, set] : cluster.store.All(cluster.Get("apps", "replicasets"))) sets.push_back(set->Tree());
  return sets;
}

size_t CountReady(const TestCluster& cluster) {
  size_t ready = 0;
  for (const ObjectPtr& pod : cluster.Pods()) {
    const PodInfo* info = cluster.loop.cluster().pods.Find(pod->key());
    ready += info != nullptr && info->is_ready && !info->is_deleting ? 1 : 0;
  }
  return ready;
}

const Json& Condition(const Json& deployment, std::string_view type) {
  static const Json kNone;
  for (const Json& condition : deployment["status"]["conditions"].items()) {
    if (condition["type"].text() == type) return condition;
  }
  return kNone;
}

TEST(DeploymentController, RunsItsReplicasInOneSet) {
  TestCluster cluster;
  cluster.AddNode("node-1");
  cluster.Create("apps", "deployments", kDeployment);
  cluster.Run();

  const Json deployment = cluster.Tree("apps", "deployments", "web");
  EXPECT_EQ(cluster.CountPods("Running"), 4U);
  EXPECT_EQ(deployment["status"]["availableReplicas"].IntOr(0), 4);
  EXPECT_EQ(deployment["status"]["updatedReplicas"].IntOr(0), 4);
  EXPECT_FALSE(deployment["status"].Has("unavailableReplicas"));
  EXPECT_EQ(deployment["status"]["observedGeneration"], deployment["metadata"]["generation"]);
  EXPECT_EQ(Condition(deployment, "Available")["status"].text(), "True");
  EXPECT_EQ(Condition(deployment, "Progressing")["reason"].text(), "NewReplicaSetAvailable");
  ASSERT_EQ(Sets(cluster).size(), 1U);
  EXPECT_EQ(Sets(cluster)[0]["metadata"]["annotations"]["kubernetes.io/change-cause"].text(), "first");
}

TEST(DeploymentController, RollsWithinItsLimits) {
  TestCluster cluster;
  cluster.AddNode("node-1");
  cluster.Create("apps", "deployments", kDeployment);
  cluster.Run();
  SetImage(cluster, "web:2");
  for (int i = 0; i < 300; ++i) {
    cluster.Run(Milliseconds(10));
    ASSERT_LE(cluster.Pods().size(), 5U);
    ASSERT_GE(CountReady(cluster), 3U);
  }
  ASSERT_EQ(Sets(cluster).size(), 2U);
  for (const ObjectPtr& pod : cluster.Pods()) {
    EXPECT_EQ(pod->Tree()["spec"]["containers"][size_t{0}]["image"].text(), "web:2");
  }
  EXPECT_EQ(
      cluster.Tree("apps", "deployments", "web")["metadata"]["annotations"]["deployment.kubernetes.io/revision"].text(),
      "2");
}

TEST(DeploymentController, GoingBackUsesTheOldSetAsTheLatestRevision) {
  TestCluster cluster;
  cluster.AddNode("node-1");
  cluster.Create("apps", "deployments", kDeployment);
  cluster.Run();
  SetImage(cluster, "web:2");
  cluster.Run();
  SetImage(cluster, "web:1");
  cluster.Run();
  EXPECT_EQ(Sets(cluster).size(), 2U);
  EXPECT_EQ(
      cluster.Tree("apps", "deployments", "web")["metadata"]["annotations"]["deployment.kubernetes.io/revision"].text(),
      "3");
  EXPECT_EQ(cluster.CountPods("Running"), 4U);
}

TEST(DeploymentController, KeepsSoManyOldSets) {
  TestCluster cluster;
  cluster.AddNode("node-1");
  cluster.Create("apps", "deployments", kDeployment);
  cluster.Change("apps", "deployments", "web",
                 [](Json& deployment) { deployment.Make("spec").Set("revisionHistoryLimit", Json::Int(1)); });
  for (const std::string_view image : {"web:2", "web:3", "web:4"}) {
    SetImage(cluster, image);
    cluster.Run();
  }
  EXPECT_EQ(Sets(cluster).size(), 2U);
}

TEST(DeploymentController, APausedOneOnlyScales) {
  TestCluster cluster;
  cluster.AddNode("node-1");
  cluster.Create("apps", "deployments", kDeployment);
  cluster.Run();
  cluster.Change("apps", "deployments", "web", [](Json& deployment) {
    deployment.Make("spec").Set("paused", Json::Bool(true));
    deployment.Make("spec").Set("replicas", Json::Int(6));
  });
  SetImage(cluster, "web:2");
  cluster.Run();
  EXPECT_EQ(Sets(cluster).size(), 1U);
  EXPECT_EQ(cluster.CountPods("Running"), 6U);
  cluster.Change("apps", "deployments", "web", [](Json& deployment) { deployment.Make("spec").Erase("paused"); });
  cluster.Run();
  EXPECT_EQ(Sets(cluster).size(), 2U);
}

TEST(DeploymentController, SaysWhenItDoesNotMoveOn) {
  TestCluster cluster;
  cluster.Create("apps", "deployments", kDeployment);  // There is no node.
  cluster.Run();
  EXPECT_EQ(Condition(cluster.Tree("apps", "deployments", "web"), "Progressing")["reason"].text(), "ReplicaSetUpdated");
  cluster.timers.Advance(Minutes(11));
  const Json deployment = cluster.Tree("apps", "deployments", "web");
  EXPECT_EQ(Condition(deployment, "Progressing")["reason"].text(), "ProgressDeadlineExceeded");
  EXPECT_EQ(Condition(deployment, "Progressing")["status"].text(), "False");
  EXPECT_EQ(Condition(deployment, "Available")["status"].text(), "False");
  cluster.AddNode("node-1");
  cluster.Run();
  EXPECT_EQ(Condition(cluster.Tree("apps", "deployments", "web"), "Progressing")["reason"].text(),
            "NewReplicaSetAvailable");
}

TEST(DeploymentController, TakesOverTheSetOfAnEarlierDeployment) {
  TestCluster cluster;
  cluster.AddNode("node-1");
  cluster.Create("apps", "deployments", kDeployment);
  cluster.Run();
  cluster.Delete("apps", "deployments", "web", {.propagation = DeleteOptions::Propagation::kOrphan});
  cluster.Run();
  ASSERT_EQ(cluster.Find("apps", "deployments", "web"), nullptr);
  ASSERT_EQ(Sets(cluster).size(), 1U);
  EXPECT_EQ(cluster.CountPods("Running"), 4U);
  const ObjectPtr again = cluster.Create("apps", "deployments", kDeployment);
  cluster.Run();
  ASSERT_EQ(Sets(cluster).size(), 1U);
  EXPECT_EQ(Sets(cluster)[0]["metadata"]["ownerReferences"][size_t{0}]["uid"].text(), again->uid());
  EXPECT_EQ(cluster.Pods().size(), 4U);
}

}  // namespace
}  // namespace berth::server
