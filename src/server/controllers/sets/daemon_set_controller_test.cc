// SPDX-License-Identifier: Apache-2.0
#include "server/controllers/sets/daemon_set_controller.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "server/test_cluster.h"

namespace berth::server {
namespace {

constexpr std::string_view kDaemonSet = R"(
metadata: {name: agent}
spec:
  selector: {matchLabels: {app: agent}}
  template:
    metadata: {labels: {app: agent}}
    spec: {containers: [{name: main, image: agent:1}]}
)";

std::map<std::string, size_t> PodsByNode(const TestCluster& cluster) {
  std::map<std::string, size_t> pods;
  for (const ObjectPtr& pod : cluster.Pods()) ++pods[std::string(pod->Field("spec.nodeName"))];
  return pods;
}

void Taint(TestCluster& cluster, std::string_view node, std::string_view effect) {
  cluster.Change("", "nodes", node, [&](Json& changed) {
    changed.Make("spec").Set(
        "taints", Json::MakeList({Json{{"key", Json::String("dedicated")}, {"effect", Json::String(effect)}}}));
  });
}

TEST(DaemonSetController, KeepsOnePodOnEveryNodeAndOnNewOnes) {
  TestCluster cluster;
  for (const char* node : {"node-1", "node-2"}) cluster.AddNode(node);
  cluster.Create("apps", "daemonsets", kDaemonSet);
  cluster.Run();
  EXPECT_EQ(PodsByNode(cluster), (std::map<std::string, size_t>{{"node-1", 1}, {"node-2", 1}}));
  cluster.AddNode("node-3");
  cluster.Run();
  EXPECT_EQ(PodsByNode(cluster).size(), 3U);
  const Json status = cluster.Tree("apps", "daemonsets", "agent")["status"];
  EXPECT_EQ(status["desiredNumberScheduled"].IntOr(0), 3);
  EXPECT_EQ(status["numberReady"].IntOr(0), 3);
  EXPECT_EQ(status["updatedNumberScheduled"].IntOr(0), 3);
  cluster.Delete("", "nodes", "node-2");
  cluster.Run();
  EXPECT_EQ(PodsByNode(cluster), (std::map<std::string, size_t>{{"node-1", 1}, {"node-3", 1}}));
}

TEST(DaemonSetController, MakesPodsForManyNodesInBatches) {
  TestCluster cluster;
  for (int i = 0; i < 450; ++i) cluster.Create("", "nodes", "metadata: {name: n" + std::to_string(i) + "}");
  cluster.Create("apps", "daemonsets", kDaemonSet);
  cluster.Run(Milliseconds(500));
  EXPECT_EQ(cluster.Pods().size(), 450U);
}

TEST(DaemonSetController, RespectsSelectorsAndTaints) {
  TestCluster cluster;
  for (const char* node : {"node-1", "node-2", "node-3"}) cluster.AddNode(node);
  cluster.Run(Milliseconds(100));
  cluster.Change("", "nodes", "node-1", [](Json& node) { node.Make({"metadata", "labels"}).Set("disk", "ssd"); });
  cluster.Change("", "nodes", "node-2", [](Json& node) { node.Make({"metadata", "labels"}).Set("disk", "ssd"); });
  Taint(cluster, "node-2", "NoSchedule");
  cluster.Create("apps", "daemonsets", kDaemonSet);
  cluster.Change("apps", "daemonsets", "agent",
                 [](Json& set) { set.Make({"spec", "template", "spec", "nodeSelector"}).Set("disk", "ssd"); });
  cluster.Run();
  EXPECT_EQ(PodsByNode(cluster), (std::map<std::string, size_t>{{"node-1", 1}}));
  cluster.Change("", "nodes", "node-1", [](Json& node) { node.Make({"metadata", "labels"}).Erase("disk"); });
  cluster.Run();
  EXPECT_TRUE(cluster.Pods().empty());
}

TEST(DaemonSetController, APodThatIsThereOutlivesATaintForNewOnes) {
  TestCluster cluster;
  cluster.AddNode("node-1");
  cluster.Create("apps", "daemonsets", kDaemonSet);
  cluster.Run();
  Taint(cluster, "node-1", "NoSchedule");
  cluster.Run();
  EXPECT_EQ(cluster.Pods().size(), 1U);
  Taint(cluster, "node-1", "NoExecute");
  cluster.Run();
  EXPECT_TRUE(cluster.Pods().empty());
}

TEST(DaemonSetController, StaysOnCordonedNodes) {
  TestCluster cluster;
  cluster.AddNode("node-1");
  cluster.Run(Milliseconds(100));
  cluster.Change("", "nodes", "node-1", [](Json& node) { node.Make("spec").Set("unschedulable", Json::Bool(true)); });
  cluster.Create("apps", "daemonsets", kDaemonSet);
  cluster.Run();
  EXPECT_EQ(cluster.CountPods("Running"), 1U);
}

TEST(DaemonSetController, ReplacesPodsWithinItsLimit) {
  TestCluster cluster;
  for (int i = 1; i <= 6; ++i) cluster.AddNode("node-" + std::to_string(i));
  cluster.Create("apps", "daemonsets", kDaemonSet);
  cluster.Run();
  cluster.Change("apps", "daemonsets", "agent", [](Json& set) {
    set.Make({"spec", "updateStrategy", "rollingUpdate"}).Set("maxUnavailable", Json::Int(2));
    set.Make({"spec", "template", "spec", "containers"}).mutable_items()[0].Set("image", "agent:2");
  });
  for (int i = 0; i < 300; ++i) {
    cluster.Run(Milliseconds(10));
    ASSERT_GE(cluster.CountPods("Running"), 4U);
  }
  EXPECT_EQ(cluster.CountPods("Running"), 6U);
  for (const ObjectPtr& pod : cluster.Pods()) {
    EXPECT_EQ(pod->Tree()["spec"]["containers"][size_t{0}]["image"].text(), "agent:2");
  }
}

TEST(DaemonSetController, GoingBackReplacesOnlyThePodsThatHadMovedOn) {
  TestCluster cluster;
  for (const char* node : {"node-1", "node-2"}) cluster.AddNode(node);
  cluster.Create("apps", "daemonsets", kDaemonSet);
  cluster.Run();
  const Json first = cluster.Tree("apps", "daemonsets", "agent")["spec"]["template"];
  cluster.Change("apps", "daemonsets", "agent", [](Json& set) {
    set.Make({"spec", "updateStrategy"}).Set("type", "OnDelete");
    set.Make({"spec", "updateStrategy"}).Erase("rollingUpdate");
    set.Make({"spec", "template", "spec", "containers"}).mutable_items()[0].Set("image", "agent:2");
  });
  cluster.Run();
  EXPECT_EQ(cluster.Tree("apps", "daemonsets", "agent")["status"]["updatedNumberScheduled"].IntOr(0), 0);
  const std::string kept(cluster.Pods()[0]->name());
  cluster.Delete("", "pods", cluster.Pods()[1]->name());
  cluster.Run();
  EXPECT_EQ(cluster.Tree("apps", "daemonsets", "agent")["status"]["updatedNumberScheduled"].IntOr(0), 1);

  cluster.Change("apps", "daemonsets", "agent", [&](Json& set) {
    set.Make("spec").Set("template", first);
    set.Make({"spec", "updateStrategy"}).Set("type", "RollingUpdate");
  });
  cluster.Run();

  EXPECT_NE(cluster.Find("", "pods", kept), nullptr);
  for (const ObjectPtr& pod : cluster.Pods()) {
    EXPECT_EQ(pod->Tree()["spec"]["containers"][size_t{0}]["image"].text(), "agent:1");
  }
  std::vector<int64_t> revisions;
  for (const auto& [key, revision] : cluster.store.All(cluster.Get("apps", "controllerrevisions"))) {
    revisions.push_back(revision->Tree()["revision"].IntOr(0));
    EXPECT_FALSE(revision->labels().Get("controller-revision-hash").empty());
  }
  std::ranges::sort(revisions);
  EXPECT_EQ(revisions, (std::vector<int64_t>{2, 3}));
}

TEST(DaemonSetController, NewPodsMayComeBeforeTheOldOnesGo) {
  TestCluster cluster;
  for (int i = 1; i <= 4; ++i) cluster.AddNode("node-" + std::to_string(i));
  cluster.Create("apps", "daemonsets", kDaemonSet);
  cluster.Run();
  cluster.Change("apps", "daemonsets", "agent", [](Json& set) {
    Json& rolling = set.Make({"spec", "updateStrategy", "rollingUpdate"});
    rolling.Set("maxSurge", Json::Int(1));
    rolling.Set("maxUnavailable", Json::Int(0));
    set.Make({"spec", "template", "spec", "containers"}).mutable_items()[0].Set("image", "agent:2");
  });
  for (int i = 0; i < 300; ++i) {
    cluster.Run(Milliseconds(10));
    ASSERT_GE(cluster.CountPods("Running"), 4U);
    ASSERT_LE(cluster.Pods().size(), 5U);
  }
  ASSERT_EQ(cluster.Pods().size(), 4U);
  for (const ObjectPtr& pod : cluster.Pods()) {
    EXPECT_EQ(pod->Tree()["spec"]["containers"][size_t{0}]["image"].text(), "agent:2");
  }
}

TEST(DaemonSetController, APodThatFailsAgainWaits) {
  TestCluster cluster;
  cluster.AddNode("node-1");
  cluster.Create("apps", "daemonsets", kDaemonSet);
  const auto fail = [&] {
    const std::string name(cluster.Pods()[0]->name());
    cluster.Change("", "pods", name, [](Json& pod) { pod.Make("status").Set("phase", "Failed"); }, "status");
    cluster.Run(Milliseconds(500));
    return name;
  };
  cluster.Run();

  const std::string first = fail();
  EXPECT_EQ(cluster.Find("", "pods", first), nullptr);
  EXPECT_THAT(cluster.Events("agent"), testing::Contains("Warning FailedDaemonPod: Found failed daemon pod default/" +
                                                         first + " on node node-1, will try to kill it"));
  const std::string second = fail();

  EXPECT_NE(cluster.Find("", "pods", second), nullptr);
  cluster.Run(Seconds(2));
  EXPECT_EQ(cluster.Find("", "pods", second), nullptr);
}

TEST(DaemonSetController, ReplacesAPodThatEnded) {
  TestCluster cluster;
  cluster.AddNode("node-1");
  cluster.Create("apps", "daemonsets", kDaemonSet);
  cluster.Run();
  const std::string name(cluster.Pods()[0]->name());
  cluster.Change("", "pods", name, [](Json& pod) { pod.Make("status").Set("phase", "Failed"); }, "status");
  cluster.Run();
  ASSERT_EQ(cluster.Pods().size(), 1U);
  EXPECT_NE(cluster.Pods()[0]->name(), name);
  EXPECT_EQ(cluster.CountPods("Running"), 1U);
}

}  // namespace
}  // namespace berth::server
