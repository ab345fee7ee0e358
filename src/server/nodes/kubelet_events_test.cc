// SPDX-License-Identifier: Apache-2.0
#include "server/nodes/kubelet_events.h"

#include <gtest/gtest.h>

#include <set>

#include "server/test_cluster.h"

namespace berth::server {
namespace {

// What is told about an object: who, why and what.
std::set<std::string> Told(const TestCluster& cluster, std::string_view name) {
  std::set<std::string> told;
  for (const auto& [key, event] : cluster.store.All(cluster.Get("", "events"))) {
    const Json tree = event->Tree();
    if (tree["involvedObject"]["name"].text() != name) continue;
    const std::string& field = tree["involvedObject"]["fieldPath"].text();
    told.insert(tree["source"]["component"].text() + " " + tree["type"].text() + " " + tree["reason"].text() + ": " +
                tree["message"].text() + (field.empty() ? "" : " (" + field + ")"));
  }
  return told;
}

void AddToldPod(TestCluster& cluster, std::string_view name, std::string_view notes = "") {
  cluster.Create("", "pods",
                 "metadata: {name: " + std::string(name) + ", annotations: {" + std::string(notes) +
                     "}}\nspec: {containers: [{name: a, image: img}]}");
}

TEST(KubeletEvents, TellHowAContainerStartsFailsAndIsStopped) {
  TestCluster cluster;
  cluster.AddNode("node-1");
  AddToldPod(cluster, "pod", "berth.dev/exit-after: 1s");
  cluster.Run(Seconds(3));
  const std::string uid = cluster.Tree("", "pods", "pod")["metadata"]["uid"].text();
  cluster.Run(Seconds(8));
  cluster.Delete("", "pods", "pod");
  cluster.Run(Seconds(1));

  const std::set<std::string> told = Told(cluster, "pod");
  for (const std::string& what :
       {std::string("kubelet Normal Pulled: Container image \"img\" already present on machine and can be accessed by "
                    "the pod (spec.containers{a})"),
        std::string("kubelet Normal Created: Container created (spec.containers{a})"),
        std::string("kubelet Normal Started: Container started (spec.containers{a})"),
        "kubelet Warning BackOff: Back-off restarting failed container a in pod pod_default(" + uid +
            ") (spec.containers{a})"}) {
    EXPECT_TRUE(told.contains(what)) << what;
  }
  AddToldPod(cluster, "other");
  cluster.Run(Seconds(1));
  cluster.Delete("", "pods", "other");
  cluster.Run(Seconds(1));
  EXPECT_TRUE(Told(cluster, "other").contains("kubelet Normal Killing: Stopping container a (spec.containers{a})"));
}

TEST(KubeletEvents, TellOfNodes) {
  TestCluster cluster;
  cluster.Create("", "nodes", "metadata: {name: node-1}");
  cluster.Run(Seconds(1));
  const std::set<std::string> started = Told(cluster, "node-1");
  EXPECT_TRUE(started.contains("kubelet Normal Starting: Starting kubelet."));
  EXPECT_TRUE(started.contains("kubelet Normal NodeReady: Node node-1 status is now: NodeReady"));
  EXPECT_TRUE(started.contains(
      "node-controller Normal RegisteredNode: Node node-1 event: Registered Node node-1 in Controller"));

  cluster.Change(
      "", "nodes", "node-1",
      [](Json& node) {
        for (Json& condition : node.Make({"status", "conditions"}).mutable_items()) {
          if (condition["type"].text() == "Ready") condition.Set("status", "Unknown");
          if (condition["type"].text() == "DiskPressure") condition.Set("status", "True");
        }
      },
      "status");
  cluster.Run(Seconds(1));

  const std::set<std::string> failed = Told(cluster, "node-1");
  EXPECT_TRUE(failed.contains("node-controller Normal NodeNotReady: Node node-1 status is now: NodeNotReady"));
  EXPECT_TRUE(failed.contains("kubelet Normal NodeHasDiskPressure: Node node-1 status is now: NodeHasDiskPressure"));

  cluster.Delete("", "nodes", "node-1");
  cluster.Run(Seconds(1));

  EXPECT_TRUE(
      Told(cluster, "node-1")
          .contains("node-controller Normal RemovingNode: Node node-1 event: Removing Node node-1 from Controller"));
}

TEST(KubeletEvents, AreFewHoweverManyPodsStart) {
  TestCluster cluster;
  cluster.AddNode("node-1");
  for (int i = 0; i < 200; ++i) AddToldPod(cluster, "pod-" + std::to_string(i));

  cluster.Run(Milliseconds(100));
  const size_t after_burst = cluster.store.Count(cluster.Get("", "events"));
  cluster.Run(Seconds(20));
  AddToldPod(cluster, "late");
  cluster.Run(Seconds(1));

  EXPECT_LE(after_burst, static_cast<size_t>(KubeletEvents::kBurst) + 20);
  EXPECT_GE(after_burst, static_cast<size_t>(KubeletEvents::kBurst) / 2);
  EXPECT_EQ(Told(cluster, "late").size(), 3U);
}

TEST(KubeletEvents, ThereAreNoneWhereNobodyLooks) {
  TestCluster cluster(true, {}, {.renews_leases = false, .lives = {.tells = false}});
  cluster.AddNode("node-1");
  AddToldPod(cluster, "pod");
  cluster.Run(Seconds(1));
  EXPECT_EQ(cluster.store.Count(cluster.Get("", "events")), 0U);
}

}  // namespace
}  // namespace berth::server
