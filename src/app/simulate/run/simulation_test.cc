// SPDX-License-Identifier: Apache-2.0
#include "app/simulate/run/simulation.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "app/simulate/report/report.h"
#include "config/config.h"
#include "explain/utilization.h"

namespace berth::simulate {
namespace {

using testing::HasSubstr;

std::string NodeYaml(const std::string& name) {
  return "---\n{apiVersion: v1, kind: Node, metadata: {name: " + name +
         "}, status: {allocatable: {cpu: 2, memory: 4Gi, pods: 10}}}\n";
}

std::string PodYaml(const std::string& name, const std::string& cpu, const std::string& fields = "") {
  return "---\n{apiVersion: v1, kind: Pod, metadata: {name: " + name +
         "}, spec: {containers: [{name: c, image: i, resources: {requests: {cpu: " + cpu + "}}}]" + fields + "}}\n";
}

constexpr std::string_view kHigh =
    "---\n{apiVersion: scheduling.k8s.io/v1, kind: PriorityClass, metadata: {name: high}, value: 10}\n";

std::unique_ptr<Simulation> RunYaml(const std::string& yaml, bool explain = false) {
  Manifests manifests;
  EXPECT_TRUE(manifests.Add(yaml, "in"));
  Settings settings;
  settings.configuration = config::Default(settings.gates);
  settings.explain = explain;
  Timeline none;
  none.settings = TimelineSettings::Timeless();
  Result<std::unique_ptr<Simulation>> simulation = Simulation::Create(settings, manifests, std::move(none));
  EXPECT_TRUE(simulation) << simulation.error().message;
  EXPECT_TRUE((*simulation)->Run());
  return *std::move(simulation);
}

TEST(Simulation, PodsFillTheClusterUntilItIsFull) {
  const auto simulation =
      RunYaml(NodeYaml("a") + NodeYaml("b") + PodYaml("p", "2") + PodYaml("q", "2") + PodYaml("r", "2"));

  EXPECT_EQ(simulation->history().pods[0].node, "a");
  EXPECT_EQ(simulation->history().pods[1].node, "b");
  EXPECT_EQ(FateOf(simulation->history().pods[2]), Fate::kUnschedulable);
  EXPECT_THAT(simulation->history().pods[2].message, HasSubstr("0/2 nodes are available: 2 Insufficient cpu."));
  const Summary summary = SummarizeFates(simulation->history());
  EXPECT_EQ(summary.scheduled, 2U);
  EXPECT_EQ(summary.unschedulable, 1U);
  EXPECT_EQ(explain::Measure(simulation->cluster()).total.cpu_milli.percent(), 100);
}

TEST(Simulation, PreemptorsTakeThePlaceOfTheirVictims) {
  const auto simulation = RunYaml(std::string(kHigh) + NodeYaml("a") + PodYaml("old", "2", ", nodeName: a") +
                                      PodYaml("vip", "2", ", priorityClassName: high"),
                                  true);

  EXPECT_EQ(FateOf(simulation->history().pods[0]), Fate::kEvicted);
  EXPECT_EQ(FateOf(simulation->history().pods[1]), Fate::kScheduled);
  ASSERT_EQ(simulation->history().evictions.size(), 1U);
  EXPECT_EQ(simulation->history().evictions[0].victim, "default/old");
  ASSERT_EQ(simulation->history().pods[1].explanations.size(), 2U);
  EXPECT_TRUE(simulation->history().pods[1].explanations[0].options[0].is_chosen);
  EXPECT_TRUE(simulation->history().pods[1].explanations[1].is_nominated_node);
  EXPECT_THAT(TableReport(*simulation), HasSubstr("no controller owns it, so it is gone"));
}

TEST(Simulation, GatedAndForeignPodsAreLeftAlone) {
  const auto simulation = RunYaml(NodeYaml("a") + PodYaml("gated", "1", ", schedulingGates: [{name: g}]") +
                                  PodYaml("foreign", "1", ", schedulerName: other"));

  EXPECT_EQ(FateOf(simulation->history().pods[0]), Fate::kGated);
  EXPECT_EQ(FateOf(simulation->history().pods[1]), Fate::kIgnored);
  EXPECT_EQ(SummarizeFates(simulation->history()).unschedulable, 0U);
}

TEST(Simulation, ADumpKeepsWhatItsPodsBelongTo) {
  // Neither the owner nor the node of the pod is in the dump, and it goes by other defaults.
  const auto simulation =
      RunYaml(NodeYaml("a") +
              "---\n{apiVersion: v1, kind: Pod, metadata: {name: p, uid: u1, resourceVersion: '7', managedFields: [], "
              "ownerReferences: [{apiVersion: apps/v1, kind: ReplicaSet, name: gone, uid: u2, controller: true}]}, "
              "spec: {nodeName: elsewhere, containers: [{name: c, image: i}]}, status: {phase: Running}}\n");

  ASSERT_EQ(simulation->history().pods.size(), 1U);
  EXPECT_EQ(FateOf(simulation->history().pods[0]), Fate::kRunning);
  ASSERT_EQ(simulation->history().notes.size(), 1U);
  EXPECT_THAT(simulation->history().notes[0], HasSubstr("is on node elsewhere, which is not in the input"));
}

TEST(Simulation, DaemonsGoToEveryNodeAndStatefulPodsComeInOrder) {
  const std::string spec =
      "selector: {matchLabels: {app: x}}, template: {metadata: {labels: {app: x}}, spec: {containers: [{name: c, "
      "image: i}]}}";
  const auto simulation = RunYaml(
      NodeYaml("a") + NodeYaml("b") + "---\n{apiVersion: apps/v1, kind: DaemonSet, metadata: {name: agent}, spec: {" +
      spec + "}}\n" + "---\n{apiVersion: apps/v1, kind: StatefulSet, metadata: {name: db}, spec: {replicas: 3, " +
      spec + "}}\n");

  std::vector<std::string> stateful;
  std::vector<std::string> nodes;
  for (const PodLife& life : simulation->history().pods) {
    EXPECT_EQ(FateOf(life), Fate::kScheduled) << life.message;
    if (life.name.starts_with("db-")) stateful.push_back(life.name);
    if (life.name.starts_with("agent-")) nodes.push_back(life.node);
  }
  std::ranges::sort(nodes);
  EXPECT_EQ(stateful, (std::vector<std::string>{"db-0", "db-1", "db-2"}));
  EXPECT_EQ(nodes, (std::vector<std::string>{"a", "b"}));
}

}  // namespace
}  // namespace berth::simulate
