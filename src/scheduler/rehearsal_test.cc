// SPDX-License-Identifier: Apache-2.0
#include "scheduler/rehearsal.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fmt/format.h>

#include <map>
#include <set>

#include "cluster/test_builders.h"
#include "plugins/registry.h"
#include "scheduler/test_configuration.h"

namespace berth::scheduler {
namespace {

using cluster::NodeBuilder;
using cluster::PodBuilder;
using Kind = Rehearsal::Finding::Kind;
using testing::ElementsAre;

std::unique_ptr<Rehearsal> MakeRehearsal(uint64_t seed = 1) {
  return Rehearsal::Create(DefaultConfiguration(), plugins::BuiltIn(), framework::FeatureGates(),
                           std::make_unique<framework::SeededChooser>(seed))
      .value();
}

PodBuilder Pod(const std::string& name) { return PodBuilder(name).SchedulerName("default-scheduler"); }

TEST(Rehearsal, TriesThePodThatIsNamedAndNotTheFirstOfTheQueue) {
  const auto rehearsal = MakeRehearsal();
  rehearsal->Put(NodeBuilder("node").Capacity("1", "1Gi").Build());
  rehearsal->Put(Pod("important").Priority(100).Request("cpu", "1").Build());
  rehearsal->Put(Pod("late").Request("cpu", "1").Build());

  EXPECT_EQ(rehearsal->Try("default/late").node_name, "node");
  EXPECT_THAT(rehearsal->Pending(), ElementsAre("default/important"));
  EXPECT_EQ(rehearsal->Try("default/late").kind, Kind::kUnknown);
}

TEST(Rehearsal, APodThatDidNotFitIsTriedAgainAtOnce) {
  const auto rehearsal = MakeRehearsal();
  rehearsal->Put(NodeBuilder("small").Capacity("1", "1Gi").Build());
  rehearsal->Put(Pod("pod").Request("cpu", "2").Build());
  const Rehearsal::Finding first = rehearsal->Try("default/pod");
  EXPECT_EQ(first.kind, Kind::kDecided);
  EXPECT_EQ(first.node_name, "");
  EXPECT_EQ(first.attempt->decision.message, "0/1 nodes are available: 1 Insufficient cpu.");

  rehearsal->Put(NodeBuilder("large").Capacity("4", "1Gi").Build());

  EXPECT_EQ(rehearsal->Try("default/pod").node_name, "large");
}

TEST(Rehearsal, SaysWhyAPodIsNotTried) {
  const auto rehearsal = MakeRehearsal();
  rehearsal->Put(NodeBuilder("node").Capacity("4", "8Gi").Build());
  rehearsal->Put(PodBuilder("foreign").SchedulerName("another").Build());
  rehearsal->Put(Pod("gated").Gate("wait").Build());

  EXPECT_EQ(rehearsal->Try("default/foreign").kind, Kind::kIgnored);
  EXPECT_EQ(rehearsal->Try("default/nobody").kind, Kind::kUnknown);
  const Rehearsal::Finding gated = rehearsal->Try("default/gated");
  EXPECT_EQ(gated.kind, Kind::kGated);
  EXPECT_EQ(gated.gate.message(), "waiting for scheduling gates: [wait]");
}

// Truncated scores are equal for several pods in a row; what was truncated is not.
TEST(ChoiceAmongEquals, EqualPodsSpreadEvenlyOverEqualNodes) {
  const auto rehearsal = MakeRehearsal();
  for (int i = 0; i < 50; ++i) rehearsal->Put(NodeBuilder(fmt::format("node-{}", i)).Capacity("64", "64Gi").Build());
  std::map<std::string, int> pods;
  for (int i = 0; i < 100; ++i) {
    rehearsal->Put(Pod(fmt::format("pod-{}", i)).Request("cpu", "125m").Request("memory", "128Mi").Build());
    ++pods[rehearsal->Try(fmt::format("default/pod-{}", i)).node_name];
  }

  EXPECT_EQ(pods.size(), 50U);
  for (const auto& [node, count] : pods) EXPECT_EQ(count, 2) << node;
}

TEST(ChoiceAmongEquals, NodesWithPodsOfTheSameOwnerComeLast) {
  const auto rehearsal = MakeRehearsal();
  for (const char* node : {"a", "b", "c"}) {
    rehearsal->Put(NodeBuilder(node).Capacity("4", "8Gi").Build());
    const std::string owner = std::string_view(node) == "b" ? "other" : "web";
    rehearsal->Put(Pod(node).Node(node).Owner("ReplicaSet", owner, owner).Request("cpu", "1").Build());
  }
  rehearsal->Put(Pod("new").Owner("ReplicaSet", "web", "web").Request("cpu", "1").Build());

  EXPECT_EQ(rehearsal->Try("default/new").node_name, "b");
}

TEST(ChoiceAmongEquals, AnotherPodOrAnotherSeedChoosesOtherwise) {
  std::set<std::string> of_pods;
  std::set<std::string> of_seeds;
  for (uint64_t i = 0; i < 20; ++i) {
    const auto rehearsal = MakeRehearsal(i);
    for (int k = 0; k < 10; ++k) rehearsal->Put(NodeBuilder(fmt::format("node-{}", k)).Capacity("4", "8Gi").Build());
    rehearsal->Put(Pod("pod").Build());
    of_seeds.insert(rehearsal->Try("default/pod").node_name);
  }
  for (int i = 0; i < 20; ++i) {
    const auto rehearsal = MakeRehearsal();
    for (int k = 0; k < 10; ++k) rehearsal->Put(NodeBuilder(fmt::format("node-{}", k)).Capacity("4", "8Gi").Build());
    rehearsal->Put(Pod(fmt::format("pod-{}", i)).Build());
    of_pods.insert(rehearsal->Try(fmt::format("default/pod-{}", i)).node_name);
  }

  EXPECT_GT(of_pods.size(), 4U);
  EXPECT_GT(of_seeds.size(), 4U);
}

TEST(ChoiceAmongEquals, TheSameQuestionHasTheSameAnswerOnACopy) {
  const auto one = MakeRehearsal();
  const auto other = MakeRehearsal();
  for (const auto& rehearsal : {one.get(), other.get()}) {
    for (int i = 0; i < 10; ++i) rehearsal->Put(NodeBuilder(fmt::format("node-{}", i)).Capacity("4", "8Gi").Build());
    rehearsal->Put(Pod("pod").Build());
  }
  // What is tried besides does not matter.
  other->Put(Pod("another").Build());
  const std::string node = other->Try("default/another").node_name;
  other->Remove("Pod", "default", "another");

  EXPECT_NE(node, "");
  EXPECT_EQ(one->Try("default/pod").node_name, other->Try("default/pod").node_name);
}

}  // namespace
}  // namespace berth::scheduler
