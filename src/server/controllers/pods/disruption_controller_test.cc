// SPDX-License-Identifier: Apache-2.0
#include "server/controllers/pods/disruption_controller.h"

#include <gtest/gtest.h>

#include "server/test_cluster.h"

namespace berth::server {
namespace {

void AddWeb(TestCluster& cluster) {
  cluster.AddNode("node-1");
  cluster.Create("apps", "deployments", R"(
metadata: {name: web}
spec:
  replicas: 5
  selector: {matchLabels: {app: web}}
  template: {metadata: {labels: {app: web}}, spec: {containers: [{name: a, image: a}]}}
)");
  cluster.Run();
}

void AddBudget(TestCluster& cluster, std::string_view rule) {
  cluster.Create("policy", "poddisruptionbudgets",
                 "metadata: {name: web}\nspec: {selector: {matchLabels: {app: web}}, " + std::string(rule) + "}");
}

Json BudgetStatus(const TestCluster& cluster) {
  return cluster.Tree("policy", "poddisruptionbudgets", "web")["status"];
}

Outcome<void> Evict(TestCluster& cluster, std::string_view pod) {
  return EvictPod(cluster.objects, "default", pod, Json{{"metadata", Json{{"name", Json::String(pod)}}}}, false);
}

TEST(DisruptionController, CountsWhatMayBeMissing) {
  for (const auto& [rule, desired, allowed] :
       {std::tuple("minAvailable: 3", 3, 2), std::tuple("minAvailable: 50%", 3, 2),
        std::tuple("maxUnavailable: 1", 4, 1), std::tuple("maxUnavailable: 30%", 3, 2),
        std::tuple("minAvailable: 9", 9, 0)}) {
    SCOPED_TRACE(rule);
    TestCluster cluster;
    AddWeb(cluster);
    AddBudget(cluster, rule);
    cluster.Run();
    const Json status = BudgetStatus(cluster);
    EXPECT_EQ(status["currentHealthy"].IntOr(0), 5);
    EXPECT_EQ(status["expectedPods"].IntOr(0), 5);
    EXPECT_EQ(status["desiredHealthy"].IntOr(0), desired);
    EXPECT_EQ(status["disruptionsAllowed"].IntOr(-1), allowed);
    EXPECT_EQ(status["observedGeneration"].IntOr(0), 1);
    EXPECT_EQ(status["conditions"][size_t{0}]["status"].text(), allowed > 0 ? "True" : "False");
  }
}

TEST(DisruptionController, ExpectsWhatTheDeploymentWantsDuringARollout) {
  TestCluster cluster;
  AddWeb(cluster);
  AddBudget(cluster, "maxUnavailable: 2");
  cluster.Change("apps", "deployments", "web", [](Json& deployment) {
    deployment.Make({"spec", "template", "spec", "containers"}).mutable_items()[0].Set("image", "b");
  });
  for (int i = 0; i < 100; ++i) {
    cluster.Run(Milliseconds(20));
    ASSERT_EQ(BudgetStatus(cluster)["expectedPods"].IntOr(0), 5);
  }
}

TEST(DisruptionController, EvictionsSpendTheBudget) {
  TestCluster cluster;
  AddWeb(cluster);
  AddBudget(cluster, "minAvailable: 4");
  cluster.Run();
  const std::vector<ObjectPtr> pods = cluster.Pods();
  EXPECT_TRUE(Evict(cluster, pods[0]->name()));
  const Outcome<void> second = Evict(cluster, pods[1]->name());
  ASSERT_FALSE(second);
  EXPECT_EQ(second.error().code, 429);
  // The pod is replaced, and then another may go.
  cluster.Run();
  EXPECT_EQ(BudgetStatus(cluster)["disruptionsAllowed"].IntOr(0), 1);
  EXPECT_FALSE(BudgetStatus(cluster).Has("disruptedPods"));
  EXPECT_TRUE(Evict(cluster, pods[1]->name()));
}

TEST(DisruptionController, PodsThatNobodyControlsAreNotExpected) {
  TestCluster cluster;
  cluster.AddNode("node-1");
  cluster.Create("", "pods", "metadata: {name: bare, labels: {app: web}}\nspec: {containers: [{name: a, image: a}]}");
  AddBudget(cluster, "maxUnavailable: 1");
  cluster.Run();
  EXPECT_EQ(BudgetStatus(cluster)["expectedPods"].IntOr(-1), 0);
  EXPECT_EQ(BudgetStatus(cluster)["disruptionsAllowed"].IntOr(-1), 0);
}

}  // namespace
}  // namespace berth::server
