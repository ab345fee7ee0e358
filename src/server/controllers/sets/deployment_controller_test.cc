// SPDX-License-Identifier: Apache-2.0
#include "server/controllers/sets/deployment_controller.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

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

TEST(DeploymentController, RevisionsGoOnFromALargeOne) {
  TestCluster cluster;
  cluster.AddNode("node-1");
  cluster.Create("apps", "deployments", kDeployment);
  cluster.Run();
  constexpr const char* kRevision = "deployment.kubernetes.io/revision";
  cluster.Change("apps", "replicasets", Sets(cluster)[0]["metadata"]["name"].text(),
                 [&](Json& set) { set.Make({"metadata", "annotations"}).Set(kRevision, "3546343826724305832"); });

  SetImage(cluster, "web:2");
  cluster.Run();

  EXPECT_EQ(cluster.Tree("apps", "deployments", "web")["metadata"]["annotations"][kRevision].text(),
            "3546343826724305833");
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

TEST(DeploymentController, TimeThatItIsPausedDoesNotCount) {
  TestCluster cluster;
  cluster.Create("apps", "deployments", kDeployment);  // There is no node.
  cluster.Run();
  const auto pause = [&](bool is_paused) {
    cluster.Change("apps", "deployments", "web", [&](Json& deployment) {
      deployment.Make("spec").Set("paused", Json::Bool(is_paused));
      if (!is_paused) deployment.Make("spec").Erase("paused");
    });
    cluster.Run(Seconds(1));
    const Json progress = Condition(cluster.Tree("apps", "deployments", "web"), "Progressing");
    return progress["status"].text() + " " + progress["reason"].text() + ": " + progress["message"].text();
  };

  EXPECT_EQ(pause(true), "Unknown DeploymentPaused: Deployment is paused");
  cluster.timers.Advance(Minutes(11));
  EXPECT_EQ(pause(false), "Unknown DeploymentResumed: Deployment is resumed");
}

TEST(DeploymentController, ReportsHowItSizesItsSets) {
  TestCluster cluster;
  cluster.AddNode("node-1");
  cluster.Create("apps", "deployments", kDeployment);
  cluster.Run();
  const std::string name = Sets(cluster)[0]["metadata"]["name"].text();

  cluster.Change("apps", "deployments", "web",
                 [](Json& deployment) { deployment.Make("spec").Set("replicas", Json::Int(2)); });
  cluster.Run();

  EXPECT_THAT(cluster.Events("web"), testing::UnorderedElementsAre(
                                         "Normal ScalingReplicaSet: Scaled up replica set " + name + " from 0 to 4",
                                         "Normal ScalingReplicaSet: Scaled down replica set " + name + " from 4 to 2"));
  const Json notes = Sets(cluster)[0]["metadata"]["annotations"];
  EXPECT_EQ(notes["deployment.kubernetes.io/desired-replicas"].text(), "2");
  EXPECT_EQ(notes["deployment.kubernetes.io/max-replicas"].text(), "3");
}

TEST(DeploymentController, ScalesAllSetsInTheMiddleOfARollout) {
  TestCluster cluster;
  cluster.AddNode("node-1");
  cluster.Create("apps", "deployments", kDeployment);
  cluster.Run();
  cluster.nodes.clear();  // New pods do not get ready from now on.
  SetImage(cluster, "web:2");
  cluster.Run();
  const auto sizes = [&] {
    std::vector<int64_t> all;
    for (const Json& set : Sets(cluster)) all.push_back(set["spec"]["replicas"].IntOr(0));
    std::ranges::sort(all);
    return all;
  };
  ASSERT_EQ(sizes(), (std::vector<int64_t>{2, 3}));

  cluster.Change("apps", "deployments", "web",
                 [](Json& deployment) { deployment.Make("spec").Set("replicas", Json::Int(9)); });
  cluster.Run();

  EXPECT_EQ(sizes(), (std::vector<int64_t>{4, 6}));
}

TEST(DeploymentController, NewPodsComeAfterTheOldOnesHaveGone) {
  TestCluster cluster;
  cluster.AddNode("node-1");
  cluster.Create("apps", "deployments", kDeployment);
  cluster.Change("apps", "deployments", "web", [](Json& deployment) {
    deployment.Make("spec").Set("strategy", Json{{"type", Json::String("Recreate")}});
  });
  cluster.Run();
  SetImage(cluster, "web:2");
  for (int i = 0; i < 100; ++i) {
    cluster.Run(Milliseconds(10));
    std::set<std::string> images;
    for (const ObjectPtr& pod : cluster.Pods()) {
      images.insert(pod->Tree()["spec"]["containers"][size_t{0}]["image"].text());
    }
    ASSERT_LE(images.size(), 1U);
  }
  EXPECT_EQ(CountReady(cluster), 4U);
}

TEST(DeploymentController, LetsGoOfASetThatIsNotSelectedAnyMore) {
  TestCluster cluster;
  cluster.AddNode("node-1");
  cluster.Create("apps", "deployments", kDeployment);
  cluster.Run();
  const std::string name = Sets(cluster)[0]["metadata"]["name"].text();

  cluster.Change("apps", "replicasets", name, [](Json& set) { set.Make({"metadata", "labels"}).Set("app", "other"); });
  cluster.Run();

  EXPECT_FALSE(cluster.Tree("apps", "replicasets", name)["metadata"].Has("ownerReferences"));
  EXPECT_EQ(Sets(cluster).size(), 2U) << "its name is taken, so the new one has another";
  const Json status = cluster.Tree("apps", "deployments", "web")["status"];
  EXPECT_EQ(status["collisionCount"].IntOr(0), 1);
  EXPECT_EQ(status["availableReplicas"].IntOr(0), 4);
}

TEST(DeploymentController, SaysWhyItsSetCannotMakePods) {
  TestCluster cluster;
  cluster.AddNode("node-1");
  cluster.Create("", "resourcequotas", "metadata: {name: few}\nspec: {hard: {pods: 2}}");
  cluster.Run(Milliseconds(100));
  cluster.Create("apps", "deployments", kDeployment);
  cluster.Run();
  EXPECT_EQ(Condition(cluster.Tree("apps", "deployments", "web"), "ReplicaFailure")["reason"].text(), "FailedCreate");

  cluster.Delete("", "resourcequotas", "few");
  cluster.Run();

  EXPECT_TRUE(Condition(cluster.Tree("apps", "deployments", "web"), "ReplicaFailure").is_null());
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
