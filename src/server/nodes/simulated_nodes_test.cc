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

TEST(SimulatedNodes, ANewNodeHasWhatItsKubeletGivesIt) {
  TestCluster cluster;
  cluster.Create("", "nodes", "metadata: {name: node-1}");
  cluster.Run(Milliseconds(100));

  const Json node = cluster.Tree("", "nodes", "node-1");
  const Json& labels = node["metadata"]["labels"];
  EXPECT_EQ(labels["kubernetes.io/hostname"].text(), "node-1");
  for (const char* key : {"kubernetes.io/os", "beta.kubernetes.io/os"}) EXPECT_EQ(labels[key].text(), "linux");
  for (const char* key : {"kubernetes.io/arch", "beta.kubernetes.io/arch"}) EXPECT_EQ(labels[key].text(), "amd64");
  const Json& addresses = node["status"]["addresses"];
  ASSERT_EQ(addresses.size(), 2U);
  EXPECT_EQ(addresses[size_t{0}]["type"].text(), "InternalIP");
  EXPECT_EQ(addresses[size_t{0}]["address"].text(), "10.128.0.1");
  EXPECT_EQ(addresses[size_t{1}]["type"].text(), "Hostname");
  EXPECT_EQ(addresses[size_t{1}]["address"].text(), "node-1");
  EXPECT_EQ(node["status"]["capacity"], node["status"]["allocatable"]);
  const Json lease = cluster.Tree("coordination.k8s.io", "leases", "node-1", "kube-node-lease");
  EXPECT_EQ(lease["spec"]["holderIdentity"].text(), "node-1");
  EXPECT_EQ(lease["metadata"]["ownerReferences"][size_t{0}]["uid"], node["metadata"]["uid"]);
}

TEST(SimulatedNodes, WhatAUserSetStays) {
  TestCluster cluster;
  cluster.Create("", "nodes", R"(
metadata: {name: node-1, labels: {kubernetes.io/hostname: rack-7, kubernetes.io/arch: arm64, tier: x}}
status:
  allocatable: {cpu: "2", pods: "5"}
  addresses: [{type: InternalIP, address: 192.168.7.7}]
  conditions: [{type: Ready, status: "False"}]
)");
  cluster.Run(Milliseconds(100));

  const Json node = cluster.Tree("", "nodes", "node-1");
  EXPECT_EQ(node["metadata"]["labels"]["kubernetes.io/hostname"].text(), "rack-7");
  EXPECT_EQ(node["metadata"]["labels"]["kubernetes.io/arch"].text(), "arm64");
  EXPECT_EQ(node["metadata"]["labels"]["kubernetes.io/os"].text(), "linux");
  EXPECT_EQ(node["metadata"]["labels"]["tier"].text(), "x");
  const Json& status = node["status"];
  EXPECT_EQ(status["allocatable"]["cpu"].text(), "2");
  EXPECT_EQ(status["capacity"], status["allocatable"]);
  EXPECT_EQ(status["addresses"][size_t{0}]["address"].text(), "192.168.7.7");
  EXPECT_EQ(status["addresses"].size(), 2U);
  EXPECT_EQ(status["conditions"].size(), 1U);
  EXPECT_EQ(status["nodeInfo"]["kubeletVersion"].text(), "v1.37.1");
  EXPECT_TRUE(Taints(cluster).contains("node.kubernetes.io/not-ready:NoExecute"));
}

TEST(SimulatedNodes, WhatANodeHasItOffers) {
  TestCluster cluster;
  cluster.Create("", "nodes", "metadata: {name: node-1}");
  cluster.Run(Milliseconds(100));
  cluster.Change(
      "", "nodes", "node-1", [](Json& node) { node.Make({"status", "capacity"}).Set("example.com/disk", "4"); },
      "status");
  cluster.Run(Milliseconds(100));

  EXPECT_EQ(cluster.Tree("", "nodes", "node-1")["status"]["allocatable"]["example.com/disk"].text(), "4");
}

TEST(SimulatedNodes, NoTwoNodesHaveTheSameAddress) {
  TestCluster cluster;
  const auto address_of = [&](std::string_view name) {
    const Json node = cluster.Tree("", "nodes", name);
    return node["status"]["addresses"][size_t{0}]["address"].text();
  };
  cluster.Create("", "nodes",
                 "metadata: {name: early}\nstatus: {addresses: [{type: InternalIP, address: 10.128.0.1}]}");
  cluster.Create("", "nodes", "metadata: {name: a}");
  cluster.Create("", "nodes", "metadata: {name: b}");
  cluster.Run(Milliseconds(100));
  EXPECT_EQ(address_of("a"), "10.128.0.2");
  EXPECT_EQ(address_of("b"), "10.128.0.3");
  cluster.Create("", "nodes", "metadata: {name: late}\nstatus: {addresses: [{type: InternalIP, address: 10.128.0.4}]}");
  cluster.Create("", "nodes", "metadata: {name: c}");
  cluster.Run(Milliseconds(100));
  EXPECT_EQ(address_of("c"), "10.128.0.5");
}

TEST(SimulatedNodes, ANameTooLongForALabelIsNoHostName) {
  TestCluster cluster;
  const std::string name(64, 'n');
  cluster.Create("", "nodes", "metadata: {name: " + name + "}");
  cluster.Run(Milliseconds(100));
  const Json node = cluster.Tree("", "nodes", name);
  EXPECT_FALSE(node["metadata"]["labels"].Has("kubernetes.io/hostname"));
  EXPECT_EQ(node["metadata"]["labels"]["kubernetes.io/os"].text(), "linux");
  EXPECT_TRUE(node["spec"]["taints"].empty());
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

TEST(SimulatedNodes, PodsAreNotReadyWhileTheirNodeIsNotHeardOf) {
  TestCluster cluster;
  cluster.AddNode("node-1");
  cluster.Create("", "pods", "metadata: {name: pod}\nspec: {containers: [{name: a, image: a}]}");
  cluster.Run(Seconds(1));
  const auto ready = [&] { return cluster.loop.cluster().pods.Find("default/pod")->is_ready; };
  ASSERT_TRUE(ready());

  SetCondition(cluster, "Ready", "Unknown");
  cluster.Run(Seconds(1));
  EXPECT_FALSE(ready());

  SetCondition(cluster, "Ready", "True");
  cluster.Run(Seconds(1));
  EXPECT_TRUE(ready());
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
