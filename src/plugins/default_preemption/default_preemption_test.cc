// SPDX-License-Identifier: Apache-2.0
#include "plugins/default_preemption/default_preemption.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cluster/test_builders.h"
#include "framework/profile.h"
#include "plugins/default_binder/default_binder.h"
#include "plugins/node_resources_fit/node_resources_fit.h"
#include "plugins/priority_sort/priority_sort.h"

namespace berth::plugins {
namespace {

using cluster::NodeBuilder;
using cluster::PodBuilder;
using testing::ElementsAre;
using testing::IsEmpty;

// What came of one attempt to schedule a pod.
struct Outcome {
  framework::PostFilterResult result;
  std::vector<std::string> effects;     // "evict NAME" and "clear NAME".
  std::vector<std::string> candidates;  // "NODE: VICTIM,... (VIOLATIONS)".
  std::vector<std::string> acceptable;

  std::string message() const { return result.status.message(); }
};

std::string EffectText(const framework::Effect& effect) {
  if (const auto* evict = std::get_if<framework::EvictPod>(&effect)) return "evict " + evict->victim->name;
  const auto& nominate = std::get<framework::NominatePod>(effect);
  return nominate.node_name.empty() ? "clear " + nominate.pod->name : "nominate " + nominate.pod->name;
}

// A cluster scheduled by resources alone.
class PreemptionWorld {
 public:
  explicit PreemptionWorld(DefaultPreemption::Args args = {}, std::map<std::string, bool> gates = {}) {
    framework::Registry registry;
    framework::ProfileConfiguration configuration;
    EXPECT_TRUE(registry.Add<PrioritySort>());
    EXPECT_TRUE(registry.Add<NodeResourcesFit>());
    EXPECT_TRUE(registry.Add<DefaultPreemption>());
    EXPECT_TRUE(registry.Add<DefaultBinder>());
    for (const framework::PluginRow& row : registry.rows()) {
      configuration.plugins.multi_point.enabled.push_back({row.name});
    }
    configuration.plugin_config.push_back({std::string(DefaultPreemption::kName), args});
    profile_ =
        framework::Profile::Create(configuration, registry, framework::FeatureGates::Create(gates).value()).value();
  }

  cluster::Cluster cluster;

  void AddNode(std::string name, const char* cpu = "4") {
    cluster.AddNode(NodeBuilder(std::move(name)).Capacity(cpu, "100Gi"));
  }
  void AddPod(const api::Pod& pod) { EXPECT_TRUE(cluster.AddPod(cluster.MakePod(pod))); }
  void AddBudget(std::string app, int32_t allowed) {
    api::PodDisruptionBudget budget;
    budget.meta.ns = "default";
    budget.meta.name = app;
    budget.selector = cluster::MatchLabels({{"app", app}});
    budget.disruptions_allowed = allowed;
    cluster.objects.pod_disruption_budgets.Put(std::move(budget));
  }

  // REQUIRES: the pod does not fit anywhere.
  Outcome Preempt(const api::Pod& pod) {
    framework::Cycle cycle(cluster.MakePod(pod), cluster, chooser_, buffers_, profile_->plugin_count());
    EXPECT_TRUE(profile_->RunPreFilter(cycle).status.ok());
    cycle.candidates().Reset(cluster.order(), cluster.nodes().slot_limit());
    profile_->RunFilters(cycle, cycle.candidates());
    EXPECT_TRUE(cycle.candidates().empty());
    framework::Diagnosis diagnosis;
    diagnosis.candidates = &cycle.candidates();
    diagnosis.node_count = cluster.order().size();
    framework::Effects effects;

    Outcome outcome;
    outcome.result = profile_->RunPostFilter(cycle, diagnosis, effects);
    for (const framework::Effect& effect : effects) outcome.effects.push_back(EffectText(effect));
    const framework::PreemptionReport* report = cycle.preemption_report();
    if (report == nullptr) return outcome;
    for (const framework::PreemptionCandidate& candidate : report->candidates) {
      outcome.candidates.push_back(Describe(candidate));
    }
    for (const cluster::NodeSlot node : report->acceptable) outcome.acceptable.push_back(Name(node));
    EXPECT_EQ(Name(report->candidates[*report->nominated].node), outcome.result.nominated_node_name);
    return outcome;
  }

 private:
  std::string Describe(const framework::PreemptionCandidate& candidate) {
    std::string text = Name(candidate.node) + ":";
    for (const cluster::PodPtr& victim : candidate.victims) text += " " + victim->name;
    return text + " (" + std::to_string(candidate.pdb_violations) + ")";
  }
  std::string Name(cluster::NodeSlot node) const { return cluster.nodes().name[node.index]; }

  framework::SmallestNameChooser chooser_;
  framework::CycleBuffers buffers_;
  std::unique_ptr<framework::Profile> profile_;
};

PodBuilder Running(std::string name, std::string node, int32_t priority, const char* cpu, int64_t start = 1) {
  return PodBuilder(std::move(name))
      .Node(std::move(node))
      .Priority(priority)
      .Request("cpu", cpu)
      .StartedAt(Time{start});
}
PodBuilder Pending(int32_t priority, const char* cpu) {
  return PodBuilder("preemptor").Priority(priority).Request("cpu", cpu);
}

TEST(DefaultPreemption, EvictsTheLeastImportantPodsThatMakeRoom) {
  PreemptionWorld world;
  world.AddNode("n1");
  world.AddPod(Running("low-new", "n1", 1, "1", 20));
  world.AddPod(Running("high", "n1", 50, "1"));
  world.AddPod(Running("low-old", "n1", 1, "1", 10));
  world.AddPod(Running("middle", "n1", 5, "1"));

  const Outcome outcome = world.Preempt(Pending(10, "2"));

  EXPECT_TRUE(outcome.result.status.ok());
  EXPECT_EQ(outcome.result.nominated_node_name, "n1");
  EXPECT_EQ(outcome.message(), "preemption: found a potential placement for pod on node n1, preempting 2 victims");
  EXPECT_THAT(outcome.effects, ElementsAre("evict low-old", "evict low-new"));
  EXPECT_THAT(outcome.candidates, ElementsAre("n1: low-old low-new (0)"));
}

TEST(DefaultPreemption, LeavesTheClusterAsItWas) {
  PreemptionWorld world;
  world.AddNode("n1");
  world.AddPod(Running("a", "n1", 1, "3"));
  world.AddPod(Running("b", "n1", 2, "1"));
  const cluster::NodeTable& nodes = world.cluster.nodes();
  const std::vector<cluster::PodPtr> pods = nodes.pods[0].pods;

  const Outcome outcome = world.Preempt(Pending(10, "2"));

  EXPECT_THAT(outcome.effects, ElementsAre("evict a"));
  EXPECT_EQ(nodes.pods[0].pods, pods);
  EXPECT_EQ(nodes.requested_cpu[0], 4000);
}

TEST(DefaultPreemption, SparesPodsThatABudgetProtects) {
  PreemptionWorld world;
  world.AddNode("n1");
  world.AddPod(Running("protected", "n1", 1, "2").Label("app", "db"));
  world.AddPod(Running("important", "n1", 5, "2"));
  world.AddBudget("db", 0);

  const Outcome outcome = world.Preempt(Pending(10, "2"));

  EXPECT_THAT(outcome.candidates, ElementsAre("n1: important (0)"));
}

TEST(DefaultPreemption, CountsTheVictimsThatABudgetProtects) {
  PreemptionWorld world;
  world.AddNode("n1");
  world.AddNode("n2");
  for (const char* node : {"n1", "n2"}) {
    world.AddPod(Running(std::string("a-") + node, node, 1, "2").Label("app", "db"));
    world.AddPod(Running(std::string("b-") + node, node, 2, "2").Label("app", node));
  }
  world.AddBudget("db", 0);
  world.AddBudget("n1", 0);

  const Outcome outcome = world.Preempt(Pending(10, "4"));

  EXPECT_THAT(outcome.candidates, ElementsAre("n1: b-n1 a-n1 (2)", "n2: b-n2 a-n2 (1)"));
  EXPECT_THAT(outcome.acceptable, ElementsAre("n2"));
}

TEST(DefaultPreemption, TakesAnyOfTheBestNodes) {
  PreemptionWorld world;
  for (const char* node : {"n3", "n2", "n1"}) {
    world.AddNode(node);
    world.AddPod(Running(std::string("on-") + node, node, node == std::string("n1") ? 2 : 1, "4"));
  }

  const Outcome outcome = world.Preempt(Pending(10, "1"));

  EXPECT_THAT(outcome.acceptable, ElementsAre("n3", "n2"));
  EXPECT_EQ(outcome.result.nominated_node_name, "n2");
  EXPECT_EQ(outcome.candidates.size(), 3);
}

TEST(DefaultPreemption, EndsTheSearchWhenThereAreEnoughCandidates) {
  PreemptionWorld world({.min_candidate_nodes_percentage = 0, .min_candidate_nodes_absolute = 2});
  for (const char* node : {"n1", "n2", "n3", "n4", "n5"}) {
    const bool is_protected = *(node + 1) <= '3';
    world.AddNode(node);
    world.AddPod(Running(std::string("on-") + node, node, 1, "4").Label("app", is_protected ? "db" : "web"));
  }
  world.AddBudget("db", 0);

  const Outcome outcome = world.Preempt(Pending(10, "1"));

  // Two with violations are kept, but the search goes on until there is one without.
  EXPECT_THAT(outcome.candidates, ElementsAre("n4: on-n4 (0)", "n1: on-n1 (1)", "n2: on-n2 (1)"));
}

TEST(DefaultPreemption, AShareThatComesToNoCandidatePreemptsNothing) {
  PreemptionWorld world({.min_candidate_nodes_percentage = 10, .min_candidate_nodes_absolute = 0});
  world.AddNode("n1");
  world.AddPod(Running("a", "n1", 1, "4"));

  const Outcome outcome = world.Preempt(Pending(10, "1"));

  EXPECT_EQ(outcome.message(), "preemption: 0/1 nodes are available: 1 Preemption is not helpful for scheduling.");
  EXPECT_THAT(outcome.effects, IsEmpty());
}

TEST(DefaultPreemption, SaysPerNodeWhyItDoesNotHelp) {
  PreemptionWorld world;
  world.AddNode("small", "1");
  world.AddNode("important");
  world.AddPod(Running("a", "important", 10, "4"));
  world.AddNode("mixed");
  world.AddPod(Running("b", "mixed", 10, "3"));
  world.AddPod(Running("c", "mixed", 1, "1"));

  const Outcome outcome = world.Preempt(Pending(10, "2"));

  EXPECT_EQ(outcome.result.status.code, framework::StatusCode::kUnschedulable);
  EXPECT_EQ(outcome.result.nominated_node_name, "");
  EXPECT_EQ(outcome.message(),
            "preemption: 0/3 nodes are available: 1 Insufficient cpu, 1 No preemption victims found for incoming pod, "
            "1 Preemption is not helpful for scheduling.");
}

TEST(DefaultPreemption, PodThatMayNotPreemptKeepsItsNomination) {
  PreemptionWorld world;
  world.AddNode("n1");
  world.AddPod(Running("a", "n1", 1, "4"));

  const Outcome outcome = world.Preempt(Pending(10, "1").PreemptionPolicy("Never"));

  EXPECT_EQ(outcome.message(), "preemption: not eligible due to preemptionPolicy=Never.");
  EXPECT_EQ(outcome.result.nominated_node_name, std::nullopt);
}

TEST(DefaultPreemption, WaitsForItsVictimsToTerminate) {
  const api::Pod preemptor = Pending(10, "1").NominatedNode("n1");
  const auto victim = [](int32_t priority) { return Running("a", "n1", priority, "4").Terminating(); };
  struct Case {
    const char* what;
    api::Pod on_node;
    bool waits;
  };
  const Case kCases[] = {
      {"preempted", victim(1).Condition("DisruptionTarget", "True", "PreemptionByScheduler"), true},
      {"other reason", victim(1).Condition("DisruptionTarget", "True", "EvictionByEvictionAPI"), false},
      {"condition is false", victim(1).Condition("DisruptionTarget", "False", "PreemptionByScheduler"), false},
      {"not a victim of this pod", victim(10).Condition("DisruptionTarget", "True", "PreemptionByScheduler"), false},
      {"no condition", victim(1), false},
      {"not terminating", Running("a", "n1", 1, "4").Condition("DisruptionTarget", "True", "PreemptionByScheduler"),
       false},
  };
  for (const Case& c : kCases) {
    SCOPED_TRACE(c.what);
    PreemptionWorld world;
    world.AddNode("n1");
    world.AddPod(c.on_node);

    const Outcome outcome = world.Preempt(preemptor);

    EXPECT_EQ(outcome.message() == "preemption: not eligible due to a terminating pod on the nominated node.", c.waits);
    EXPECT_EQ(outcome.result.nominated_node_name.has_value(), !c.waits);
  }
}

TEST(DefaultPreemption, DoesNotWaitOnANodeThatIsOutOfTheQuestion) {
  PreemptionWorld world;
  world.AddNode("n1", "1");
  world.AddNode("n2");
  world.AddPod(
      Running("leaving", "n1", 1, "1").Terminating().Condition("DisruptionTarget", "True", "PreemptionByScheduler"));
  world.AddPod(Running("a", "n2", 1, "4"));

  const Outcome outcome = world.Preempt(Pending(10, "2").NominatedNode("n1"));

  EXPECT_EQ(outcome.result.nominated_node_name, "n2");
}

TEST(DefaultPreemption, TakesNominationsAwayFromPodsOfLowerPriority) {
  for (const bool async : {true, false}) {
    SCOPED_TRACE(async);
    PreemptionWorld world({}, {{"SchedulerAsyncPreemption", async}});
    world.AddNode("n1");
    world.AddPod(Running("a", "n1", 1, "2"));
    world.AddPod(Running("leaving", "n1", 1, "2").Terminating());
    world.cluster.nominated.Set(world.cluster.MakePod(PodBuilder("lower").Priority(9)), "n1");
    world.cluster.nominated.Set(world.cluster.MakePod(PodBuilder("equal").Priority(10)), "n1");
    world.cluster.nominated.Set(world.cluster.MakePod(PodBuilder("elsewhere").Priority(9)), "n2");

    const Outcome outcome = world.Preempt(Pending(10, "4"));

    EXPECT_EQ(outcome.message(), "preemption: found a potential placement for pod on node n1, preempting 2 victims");
    EXPECT_EQ(outcome.effects, async ? (std::vector<std::string>{"clear lower", "evict a"})
                                     : (std::vector<std::string>{"evict a", "clear lower"}));
  }
}

TEST(DefaultPreemption, WhenAllVictimsLeaveAlreadyNothingIsDoneUnlessSynchronous) {
  for (const bool async : {true, false}) {
    SCOPED_TRACE(async);
    PreemptionWorld world({}, {{"SchedulerAsyncPreemption", async}});
    world.AddNode("n1");
    world.AddPod(Running("leaving", "n1", 1, "4").Terminating());
    world.cluster.nominated.Set(world.cluster.MakePod(PodBuilder("lower").Priority(9)), "n1");

    const Outcome outcome = world.Preempt(Pending(10, "4"));

    EXPECT_EQ(outcome.result.nominated_node_name, "n1");
    EXPECT_EQ(outcome.effects, async ? std::vector<std::string>{} : std::vector<std::string>{"clear lower"});
  }
}

TEST(DefaultPreemption, MakesRoomForNominatedPodsToo) {
  PreemptionWorld world;
  world.AddNode("n1");
  world.AddPod(Running("a", "n1", 1, "2"));
  world.AddPod(Running("b", "n1", 2, "2"));
  world.cluster.nominated.Set(world.cluster.MakePod(PodBuilder("rival").Priority(10).Request("cpu", "2")), "n1");

  const Outcome outcome = world.Preempt(Pending(10, "2"));

  EXPECT_THAT(outcome.candidates, ElementsAre("n1: b a (0)"));
}

}  // namespace
}  // namespace berth::plugins
