// SPDX-License-Identifier: Apache-2.0
#include "server/nodes/simulated_nodes.h"

#include <gtest/gtest.h>

#include <set>

#include "server/test_cluster.h"

namespace berth::server {
namespace {

std::set<std::string> Taints(const TestCluster& cluster) {
  std::set<std::string> taints;
  const Json node = cluster.Tree("", "nodes", "node-1");
  for (const Json& taint : node["spec"]["taints"].items()) {
    taints.insert(taint["key"].text() + ":" + taint["effect"].text());
  }
  return taints;
}

void SetCondition(TestCluster& cluster, std::string_view type, std::string_view status) {
  cluster.Change(
      "", "nodes", "node-1",
      [&](Json& node) {
        for (Json& condition : node.Make({"status", "conditions"}).mutable_items()) {
          if (condition["type"].text() == type) condition.Set("status", status);
        }
      },
      "status");
}

TEST(SimulatedNodes, ANewNodeBecomesReady) {
  TestCluster cluster;
  cluster.Create("", "nodes", "metadata: {name: node-1}");
  EXPECT_EQ(Taints(cluster), (std::set<std::string>{"node.kubernetes.io/not-ready:NoSchedule"}));
  cluster.Run(Milliseconds(100));
  const Json node = cluster.Tree("", "nodes", "node-1");
  EXPECT_TRUE(Taints(cluster).empty());
  EXPECT_EQ(node["status"]["allocatable"]["cpu"].text(), "8");
  EXPECT_EQ(node["status"]["nodeInfo"]["kubeletVersion"].text(), "v1.37.1");
}

TEST(SimulatedNodes, ConditionsAndCordonsBecomeTaints) {
  TestCluster cluster;
  cluster.AddNode("node-1");
  cluster.Run();
  SetCondition(cluster, "Ready", "False");
  cluster.Run();
  EXPECT_EQ(Taints(cluster), (std::set<std::string>{"node.kubernetes.io/not-ready:NoExecute",
                                                    "node.kubernetes.io/not-ready:NoSchedule"}));
  SetCondition(cluster, "Ready", "Unknown");
  cluster.Run();
  EXPECT_EQ(Taints(cluster), (std::set<std::string>{"node.kubernetes.io/unreachable:NoExecute",
                                                    "node.kubernetes.io/unreachable:NoSchedule"}));
  SetCondition(cluster, "Ready", "True");
  SetCondition(cluster, "MemoryPressure", "True");
  cluster.Change("", "nodes", "node-1", [](Json& node) { node.Make("spec").Set("unschedulable", Json::Bool(true)); });
  cluster.Run();
  EXPECT_EQ(Taints(cluster), (std::set<std::string>{"node.kubernetes.io/memory-pressure:NoSchedule",
                                                    "node.kubernetes.io/unschedulable:NoSchedule"}));
  SetCondition(cluster, "MemoryPressure", "False");
  cluster.Change("", "nodes", "node-1", [](Json& node) { node.Make("spec").Erase("unschedulable"); });
  cluster.Run();
  EXPECT_TRUE(Taints(cluster).empty());
}

TEST(SimulatedNodes, LeasesAreRenewedUntilTheNodeIsNotHeardOf) {
  TestCluster cluster;
  cluster.AddNode("node-1");
  cluster.Run(Seconds(11));
  const auto renewed = [&] {
    return cluster.Tree("coordination.k8s.io", "leases", "node-1", "kube-node-lease")["spec"]["renewTime"].text();
  };
  const std::string first = renewed();
  ASSERT_FALSE(first.empty());
  cluster.Run(Seconds(11));
  const std::string second = renewed();
  EXPECT_GT(second, first);
  SetCondition(cluster, "Ready", "Unknown");
  cluster.Run(Seconds(30));
  EXPECT_EQ(renewed(), second);
  cluster.Delete("", "nodes", "node-1");
  cluster.Run(Seconds(30));
  EXPECT_EQ(cluster.Find("coordination.k8s.io", "leases", "node-1", "kube-node-lease"), nullptr);
}

}  // namespace
}  // namespace berth::server
