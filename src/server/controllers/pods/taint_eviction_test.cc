// SPDX-License-Identifier: Apache-2.0
#include "server/controllers/pods/taint_eviction.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include "server/test_cluster.h"

namespace berth::server {
namespace {

void AddTolerantPod(TestCluster& cluster, std::string_view name, std::string_view tolerations) {
  cluster.Create("", "pods",
                 "metadata: {name: " + std::string(name) +
                     "}\nspec: {containers: [{name: a, image: a}], tolerations: " + std::string(tolerations) + "}");
}

void TaintNode(TestCluster& cluster, std::string_view effect) {
  cluster.Change("", "nodes", "node-1", [&](Json& node) {
    node.Make("spec").Set("taints",
                          Json::MakeList({Json{{"key", Json::String("repair")}, {"effect", Json::String(effect)}}}));
  });
}

void SetReady(TestCluster& cluster, std::string_view status) {
  cluster.Change(
      "", "nodes", "node-1",
      [&](Json& node) {
        for (Json& condition : node.Make({"status", "conditions"}).mutable_items()) {
          if (condition["type"].text() == "Ready") condition.Set("status", status);
        }
      },
      "status");
}

TEST(TaintEviction, PodsGoUnlessTheyTolerateTheTaint) {
  TestCluster cluster;
  cluster.AddNode("node-1");
  AddTolerantPod(cluster, "plain", "[]");
  AddTolerantPod(cluster, "stays", "[{key: repair, operator: Exists}]");
  AddTolerantPod(cluster, "for-a-while", "[{key: repair, operator: Exists, effect: NoExecute, tolerationSeconds: 60}]");
  cluster.Run();
  TaintNode(cluster, "NoSchedule");
  cluster.Run();
  ASSERT_EQ(cluster.Pods().size(), 3U);
  TaintNode(cluster, "NoExecute");
  cluster.Run();
  EXPECT_EQ(cluster.Find("", "pods", "plain"), nullptr);
  cluster.Run(Seconds(50));
  EXPECT_NE(cluster.Find("", "pods", "for-a-while"), nullptr);
  cluster.Run(Seconds(10));
  EXPECT_EQ(cluster.Find("", "pods", "for-a-while"), nullptr);
  EXPECT_NE(cluster.Find("", "pods", "stays"), nullptr);
}

TEST(TaintEviction, ATaintThatGoesInTimeDoesNoHarm) {
  TestCluster cluster;
  cluster.AddNode("node-1");
  AddTolerantPod(cluster, "pod", "[{key: repair, operator: Exists, effect: NoExecute, tolerationSeconds: 60}]");
  cluster.Run();
  for (int i = 0; i < 3; ++i) {
    TaintNode(cluster, "NoExecute");
    cluster.Run(Seconds(40));
    TaintNode(cluster, "NoSchedule");
    cluster.Run(Seconds(1));
  }
  EXPECT_NE(cluster.Find("", "pods", "pod"), nullptr);
  EXPECT_THAT(cluster.Events("pod"),
              testing::Contains("Normal TaintManagerEviction: Cancelling deletion of Pod default/pod"));
}

TEST(TaintEviction, TellsWhatBecomesOfPodsThatAreToGoLater) {
  TestCluster cluster;
  cluster.AddNode("node-1");
  constexpr std::string_view kOneMinute = "[{key: repair, operator: Exists, effect: NoExecute, tolerationSeconds: 60}]";
  for (const std::string_view name : {"waits", "deleted"}) AddTolerantPod(cluster, name, kOneMinute);
  cluster.Run();
  TaintNode(cluster, "NoExecute");
  cluster.Run(Seconds(10));

  cluster.Delete("", "pods", "deleted");
  cluster.Run(Minutes(2));

  const std::string_view prefix = "Normal TaintManagerEviction: ";
  const auto told = [&](std::string_view name) {
    std::vector<std::string> events = cluster.Events(name);
    std::erase_if(events, [&](const std::string& event) { return !event.starts_with(prefix); });
    return events;
  };
  EXPECT_THAT(told("waits"), testing::ElementsAre(std::string(prefix) + "Marking for deletion Pod default/waits"));
  EXPECT_THAT(told("deleted"),
              testing::ElementsAre(std::string(prefix) + "Cancelling deletion of Pod default/deleted"));
}

TEST(TaintEviction, PodsLeaveANodeThatFailsAfterFiveMinutes) {
  TestCluster cluster;
  cluster.AddNode("node-1");
  AddTolerantPod(cluster, "pod", "[]");
  cluster.Run();
  SetReady(cluster, "False");
  cluster.Run(Minutes(4));
  EXPECT_NE(cluster.Find("", "pods", "pod"), nullptr);
  cluster.Run(Minutes(2));
  EXPECT_EQ(cluster.Find("", "pods", "pod"), nullptr);
}

TEST(TaintEviction, APodOnANodeThatIsNotHeardOfStaysMarked) {
  TestCluster cluster;
  cluster.AddNode("node-1");
  AddTolerantPod(cluster, "pod", "[]");
  cluster.Run();
  SetReady(cluster, "Unknown");
  cluster.Run(Minutes(6));
  ASSERT_NE(cluster.Find("", "pods", "pod"), nullptr);
  EXPECT_TRUE(cluster.Tree("", "pods", "pod")["metadata"].Has("deletionTimestamp"));
  SetReady(cluster, "True");
  cluster.Run();
  EXPECT_EQ(cluster.Find("", "pods", "pod"), nullptr);
}

TEST(PodCollector, PodsGoWithTheirNode) {
  TestCluster cluster;
  cluster.AddNode("node-1");
  AddTolerantPod(cluster, "pod", "[]");
  cluster.Run();
  cluster.Delete("", "nodes", "node-1");
  cluster.Run(Seconds(1));
  EXPECT_TRUE(cluster.Pods().empty());
}

TEST(PodCollector, InAPartOfAClusterANodeThatWasNeverSeenMayBeElsewhere) {
  TestCluster cluster(true, {}, {.is_whole = false});
  cluster.Create("", "pods", "metadata: {name: p}\nspec: {nodeName: nowhere, containers: [{name: a, image: a}]}");
  cluster.Run(Seconds(60));
  EXPECT_NE(cluster.Find("", "pods", "p"), nullptr);
}

TEST(PodCollector, PodsThatHaveEndedMayGo) {
  TestCluster cluster(true, {}, {.keeps_ended_pods = false});
  cluster.AddNode("node-1");
  cluster.Create("", "pods",
                 "metadata: {name: p, annotations: {berth.dev/complete-after: 1s}}\n"
                 "spec: {containers: [{name: a, image: a}]}");
  cluster.Run(Seconds(10));
  EXPECT_EQ(cluster.Find("", "pods", "p"), nullptr);
}

TEST(PodCollector, ANodeThatNeverWasMayStillCome) {
  TestCluster cluster;
  AddTolerantPod(cluster, "early", "[]");
  AddTolerantPod(cluster, "lost", "[]");
  cluster.Bind("early", "node-1");
  cluster.Bind("lost", "node-2");
  cluster.Run(Seconds(30));
  EXPECT_EQ(cluster.Pods().size(), 2U);
  cluster.AddNode("node-1");
  cluster.Run(Seconds(20));
  ASSERT_EQ(cluster.Pods().size(), 1U);
  EXPECT_EQ(cluster.Tree("", "pods", "early")["status"]["phase"].text(), "Running");
}

}  // namespace
}  // namespace berth::server
