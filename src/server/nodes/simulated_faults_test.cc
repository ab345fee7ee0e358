// SPDX-License-Identifier: Apache-2.0
#include "server/nodes/simulated_faults.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "server/model/find_condition.h"
#include "server/test_cluster.h"

namespace berth::server {
namespace {

// A cluster with one node that has the faults of this text.
struct FaultyCluster {
  explicit FaultyCluster(const std::string& faults)
      : behaviour(ParseBehaviour("nodes: [{" + faults + "}]").value()), cluster(false) {
    AddControllers(cluster.loop);
    cluster.loop.Add(std::make_unique<SimulatedFaults>(cluster.loop.cluster(), behaviour, true));
    cluster.loop.Start();
    cluster.AddNode("node-1");
  }

  std::string Status(std::string_view type) const {
    return FindCondition(cluster.Tree("", "nodes", "node-1")["status"]["conditions"], type)["status"].text();
  }
  // How the condition changes in so long a time, second by second.
  std::vector<std::pair<std::string, int>> Watch(std::string_view type, int seconds) {
    std::vector<std::pair<std::string, int>> seen;
    for (int i = 0; i < seconds; ++i) {
      cluster.Run(Seconds(1));
      const std::string status = Status(type);
      if (seen.empty() || seen.back().first != status) seen.emplace_back(status, 0);
      ++seen.back().second;
    }
    return seen;
  }

  const Behaviour behaviour;
  TestCluster cluster;
};

TEST(SimulatedFaults, ANodeIsNotReadyNowAndThen) {
  FaultyCluster faulty("notReady: {every: 60s, for: 10s}");

  const auto seen = faulty.Watch("Ready", 200);

  ASSERT_GE(seen.size(), 6U);
  EXPECT_LE(seen[0].second, 61);
  EXPECT_EQ(seen[0].first, "True");
  EXPECT_EQ(seen[1].first, "False");
  for (const size_t i : {1U, 3U}) EXPECT_NEAR(seen[i].second, 10, 1);
  for (const size_t i : {2U, 4U}) EXPECT_NEAR(seen[i].second, 50, 1);
}

TEST(SimulatedFaults, ASilentNodeIsNotHeardOf) {
  FaultyCluster faulty("silent: {every: 60s, for: 30s}");

  const auto seen = faulty.Watch("MemoryPressure", 100);

  ASSERT_GE(seen.size(), 3U);
  EXPECT_EQ(seen[1].first, "Unknown");
  EXPECT_EQ(seen[2].first, "False");
}

TEST(SimulatedFaults, ANodeWithoutDiskEvictsItsPodsOneByOne) {
  FaultyCluster faulty("diskPressure: {every: 60s, for: 25s}");
  TestCluster& cluster = faulty.cluster;
  for (const std::string& pod : {std::string("least"), std::string("more"), std::string("vital")}) {
    cluster.Create(
        "", "pods",
        "metadata: {name: " + pod + ", namespace: kube-system}\nspec: {containers: [{name: a, image: a}]" +
            (pod == "least" ? ""
                            : ", priorityClassName: " + std::string(pod == "more" ? "some" : "system-node-critical")) +
            "}");
    if (pod == "least") cluster.Create("scheduling.k8s.io", "priorityclasses", "metadata: {name: some}\nvalue: 5");
  }
  const auto phase = [&](std::string_view name) {
    return cluster.Tree("", "pods", name, "kube-system")["status"]["phase"].text();
  };
  while (faulty.Status("DiskPressure") != "True") cluster.Run(Seconds(1));

  EXPECT_EQ(phase("least"), "Failed");
  EXPECT_EQ(phase("more"), "Running");
  const Json status = cluster.Tree("", "pods", "least", "kube-system")["status"];
  EXPECT_EQ(status["reason"].text(), "Evicted");
  EXPECT_EQ(status["message"].text(), "The node was low on resource: ephemeral-storage. ");
  EXPECT_EQ(FindCondition(status["conditions"], "DisruptionTarget")["reason"].text(), "TerminationByKubelet");
  cluster.Run(Seconds(30));
  EXPECT_EQ(phase("more"), "Failed");
  EXPECT_EQ(phase("vital"), "Running");
  EXPECT_EQ(faulty.Status("DiskPressure"), "False");
}

TEST(SimulatedFaults, ANodeThatIsInTroubleAlreadyIsLeftAlone) {
  FaultyCluster faulty("notReady: {every: 30s, for: 10s}");
  faulty.cluster.Run(Milliseconds(100));
  faulty.cluster.Change(
      "", "nodes", "node-1",
      [](Json& node) {
        Json* ready = FindMutableCondition(node.Make({"status", "conditions"}), "Ready");
        ready->Set("status", "Unknown");
        ready->Set("reason", "Unplugged");
      },
      "status");

  EXPECT_EQ(faulty.Watch("Ready", 100).size(), 1U);
}

}  // namespace
}  // namespace berth::server
