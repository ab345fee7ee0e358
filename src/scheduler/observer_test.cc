// SPDX-License-Identifier: Apache-2.0
#include "framework/observer.h"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include <map>

#include "scheduler/test_groups.h"

namespace berth::scheduler {
namespace {

using framework::Moment;
using framework::Observer;
using framework::RunPoint;
using framework::StatusCode;
using ::testing::Contains;
using ::testing::Key;
using ::testing::Not;
using ::testing::Pair;
using ::testing::UnorderedElementsAre;

// Counts what it hears, by name.
class Counts final : public Observer {
 public:
  std::map<std::string, int> groups, attempts, points, evaluations, queued, rejected, in_flight, events, hints;
  std::vector<Step> steps;
  std::vector<std::string> bound, places, failures, changes, preemption, harm;
  Levels levels;
  int preemptions = 0;
  size_t victims = 0;
  size_t placements = 0;
  int algorithms = 0;

  Moment Start() override { return MakeMoment(1); }
  Moment StartPlugin() override { return MakeMoment(1); }
  void AttemptBegins(const framework::Profile& profile, const cluster::PodInfo& pod) override {
    ++attempts[fmt::format("{} {}", profile.scheduler_name(), pod.name)];
  }
  void Reached(Step step) override { steps.push_back(step); }
  void AlgorithmEnds(Moment since) override { algorithms += static_cast<int>(NanosOf(since)); }
  void AttemptEnds(const framework::Profile&, Result result, Moment since) override {
    EXPECT_EQ(NanosOf(since), 1);
    ++attempts[result == Result::kScheduled ? "scheduled" : result == Result::kError ? "error" : "unschedulable"];
  }
  void AttemptFailed(const cluster::PodInfo& pod, Result, std::string_view message) override {
    failures.push_back(fmt::format("{}: {}", pod.full_name(), message));
  }
  void PodBound(const framework::BoundPod& pod) override {
    bound.push_back(
        fmt::format("{} {} {}", pod.attempts, pod.waited ? pod.waited->nanos / 1'000'000'000 : -1, pod.flushed));
    places.push_back(
        fmt::format("{} on {}, {} of {}", pod.pod.full_name(), pod.node, pod.feasible_nodes, pod.evaluated_nodes));
  }
  void PlacementsGenerated(const framework::Profile&, size_t count) override { placements += count; }
  void PlacementTried(const framework::Profile&, bool is_feasible, Moment) override {
    ++groups[is_feasible ? "feasible" : "infeasible"];
  }
  void GroupAlgorithmEnds(Moment) override { ++groups["algorithm"]; }
  void GroupAttemptEnds(const framework::Profile&, GroupResult result, Moment) override {
    const std::string_view names[] = {"scheduled", "unschedulable", "waits for preemption", "error"};
    ++groups[std::string(names[static_cast<size_t>(result)])];
  }
  void PointRan(const framework::Profile&, RunPoint point, StatusCode code, Moment) override {
    ++points[fmt::format("{} {}", framework::ToString(point), framework::ToString(code))];
  }
  void PluginRan(const framework::Profile&, const framework::Plugin& plugin, RunPoint point, StatusCode code,
                 size_t nodes, Moment) override {
    if (code != StatusCode::kSkip)
      evaluations[fmt::format("{} {}", plugin.name(), framework::ToString(point))] += static_cast<int>(nodes);
  }
  void PermitWaited(StatusCode, Moment) override {}
  void PodQueued(Queue queue, const framework::QueueCause& cause, size_t members, bool is_arrival) override {
    const std::string_view names[] = {"active", "backoff", "unschedulable"};
    if (members > 0 && is_arrival) ++groups[fmt::format("{} of {}", names[static_cast<size_t>(queue)], members)];
    ++queued[fmt::format("{} {}", names[static_cast<size_t>(queue)], framework::Label(cause))];
  }
  void PodRejected(std::string_view plugin, std::string_view profile, int change) override {
    rejected[fmt::format("{} {}", plugin, profile)] += change;
  }
  void InFlightChanged(const framework::QueueCause& cause, int change) override {
    in_flight[framework::Label(cause)] += change;
  }
  void PodChanged(const framework::ClusterEvent& event, const cluster::PodInfo& pod) override {
    changes.push_back(fmt::format("{} {}", framework::Label(event), pod.full_name()));
  }
  void NodeChanged(const framework::ClusterEvent& event, std::string_view node) override {
    changes.push_back(fmt::format("{} {}", framework::Label(event), node));
  }
  void EventHandled(const framework::ClusterEvent& event, Moment) override { ++events[framework::Label(event)]; }
  void HintGiven(std::string_view plugin, const framework::ClusterEvent& event,
                 std::optional<framework::QueueingHint> hint, Moment) override {
    ++hints[fmt::format("{} {} {}", plugin, framework::Label(event), hint == framework::QueueingHint::kQueue)];
  }
  void PreemptionDecided(const cluster::PodInfo& preemptor, std::string_view node) override {
    preemption.push_back(fmt::format("{} on {}", preemptor.full_name(), node.empty() ? "none" : node));
  }
  void PreemptionStarted(const framework::EvictPod&, size_t count) override { victims += count; }
  void VictimLeft(const framework::EvictPod& eviction, VictimEnd end, std::string_view error) override {
    preemption.push_back(fmt::format("{} {}{}", eviction.victim->full_name(), static_cast<int>(end), error));
  }
  void HarmDone(std::string_view type, size_t groups_hurt, int64_t violations) override {
    harm.push_back(fmt::format("{} {} {}", type, groups_hurt, violations));
  }
  void PreemptionEnded(const framework::EvictPod& eviction, bool failed, Moment) override {
    preemption.push_back(
        fmt::format("{} on {} {}", eviction.preemptor->full_name(), eviction.node_name, failed ? "failed" : "done"));
    ++preemptions;
  }
  void DeviceSearchGivenUp(const cluster::PodInfo&) override {}
  void ClaimCreated(bool) override {}
  void DeviceAwaited(const cluster::PodInfo&, const api::DeviceRequestAllocationResult&, DeviceWaitEnd,
                     Moment) override {}
  void ExtenderSkipped(const cluster::PodInfo&, const framework::SkippedExtender&) override {}
  void CacheRepaired(const cluster::PodInfo&, std::string_view) override {}
  void StepEnded(const Levels& now) override { levels = now; }
};

struct Observed {
  Counts counts;
  World world;
  Observed() { world.core().set_observer(&counts); }
};

TEST(Observer, HearsOfTheAttemptsOfGroups) {
  const auto gates = framework::FeatureGates::Create({{"GenericWorkload", true}}).value();
  Counts counts;
  World world(DefaultConfiguration("GangScheduling"), plugins::BuiltIn(), gates);
  world.core().set_observer(&counts);
  const auto member = [](std::string name) {
    api::Pod pod = Pod(std::move(name)).Request("cpu", "4");
    pod.spec.scheduling_group = "g";
    return pod;
  };
  world.Put(Node("n1"));
  world.Put(member("a"));
  EXPECT_EQ(counts.levels.incomplete, 1u);
  api::PodGroup group;
  group.meta.ns = "default";
  group.meta.name = "g";
  group.meta.uid = "uid-g";
  group.spec.min_count = 2;
  world.Put(group);
  world.Put(member("b"));
  world.ScheduleAll();
  EXPECT_EQ(counts.groups["unschedulable"], 1);
  EXPECT_EQ(counts.groups["active of 2"], 1);
  EXPECT_EQ(counts.groups["backoff of 2"], 1);
  EXPECT_EQ(counts.levels.incomplete, 0u);
  EXPECT_EQ(counts.levels.backoff.pods, 0u);
  EXPECT_EQ(counts.levels.backoff.groups, 1u);
  EXPECT_EQ(counts.levels.backoff.members, 2u);

  world.Put(Node("n2"));
  world.Pass(Seconds(3));
  world.ScheduleAll();

  EXPECT_EQ(counts.levels.backoff.groups, 0u);
  EXPECT_EQ(counts.levels.backoff.members, 0u);
  EXPECT_EQ(counts.groups["scheduled"], 1);
  EXPECT_EQ(counts.groups["algorithm"], 2);
  EXPECT_EQ(counts.points["PlacementFeasible Success"], 1);
}

TEST(Observer, AGroupComesToAQueueOnceHoweverManyMembersJoinIt) {
  Counts counts;
  World world = GroupWorld();
  world.core().set_observer(&counts);
  world.Put(Gang("g", 2));
  for (const char* name : {"a", "b", "c", "d"}) world.Put(Member(name, "g"));

  // The first one is turned away when it comes, and again by the event that it has come.
  EXPECT_EQ(counts.groups["unschedulable of 1"], 2);
  EXPECT_EQ(counts.groups["unschedulable of 2"], 0);
  EXPECT_EQ(counts.groups["active of 2"], 1);
  EXPECT_EQ(counts.groups["active of 3"], 0);
  EXPECT_EQ(counts.groups["active of 4"], 0);
  EXPECT_EQ(counts.levels.active.groups, 1u);
  EXPECT_EQ(counts.levels.active.members, 4u);
  EXPECT_EQ(counts.levels.gated.groups, 0u);
}

TEST(Observer, HearsWhatThePreemptionOfAGroupCosts) {
  Counts counts;
  World world = GroupWorld();
  world.core().set_observer(&counts);
  world.Put(Node("n1"));
  api::PodGroup low = Gang("low", 1);
  low.spec.is_disrupted_as_one = true;
  world.Put(low);
  for (const char* name : {"l1", "l2"}) {
    api::Pod pod = Pod(name).Node("n1").Request("cpu", "2").Label("app", "db");
    pod.spec.scheduling_group = "low";
    world.Put(pod);
  }
  api::PodDisruptionBudget budget;
  budget.meta.ns = "default";
  budget.meta.name = "db";
  budget.selector = api::LabelSelector{.match_labels = {{"app", "db"}}, .match_expressions = {}};
  world.Put(budget);
  api::PodGroup high = Gang("high", 1);
  high.spec.priority = 100;
  world.Put(high);
  api::Pod pod = Member("h1", "high");
  pod.spec.priority = 100;
  world.Put(pod);

  world.ScheduleAll();

  EXPECT_THAT(counts.harm, ::testing::ElementsAre("podgroup 1 2"));
}

TEST(Observer, HearsOfAnAttemptFromTheQueueToTheBinding) {
  Observed run;
  run.world.Put(Node("n1"));
  run.world.Put(Node("n2"));
  run.world.Put(Pod("a").Build());
  EXPECT_EQ(run.counts.levels.active.pods, 1u);
  EXPECT_EQ(run.counts.levels.nodes, 2u);
  run.world.ScheduleAll();
  EXPECT_EQ(run.counts.levels.assumed_pods, 1u);
  EXPECT_EQ(run.counts.levels.bindings, 1u);
  run.world.Pass(Seconds(2));
  run.world.Answer(run.world.Take<framework::BindPod>()[0].first);

  EXPECT_THAT(run.counts.attempts, UnorderedElementsAre(Pair("default-scheduler a", 1), Pair("scheduled", 1)));
  EXPECT_THAT(run.counts.steps,
              ::testing::ElementsAre(Observer::Step::kFiltered, Observer::Step::kScored, Observer::Step::kDecided));
  EXPECT_EQ(run.counts.algorithms, 1);
  EXPECT_THAT(run.counts.bound, ::testing::ElementsAre("1 2 false"));
  EXPECT_THAT(run.counts.places, ::testing::ElementsAre("default/a on n1, 2 of 2"));
  EXPECT_THAT(run.counts.failures, ::testing::IsEmpty());
  EXPECT_THAT(
      run.counts.points,
      UnorderedElementsAre(Pair("Sign Success", 1), Pair("PreEnqueue Success", 1), Pair("PreFilter Success", 1),
                           Pair("Filter Success", 1), Pair("PreScore Success", 1), Pair("Score Success", 1),
                           Pair("Reserve Success", 1), Pair("Permit Success", 1), Pair("PreBindPreFlight Skip", 1),
                           Pair("PreBind Success", 1), Pair("Bind Success", 1), Pair("PostBind Success", 1)));
  EXPECT_THAT(run.counts.evaluations, Contains(Pair("NodeResourcesFit Filter", 2)));
  EXPECT_THAT(run.counts.evaluations, Contains(Pair("NodeResourcesFit PreFilter", 1)));
  EXPECT_THAT(run.counts.evaluations, Contains(Pair("NodeResourcesFit Score", 2)));
  EXPECT_THAT(run.counts.evaluations, Contains(Pair("DefaultBinder Bind", 1)));
  EXPECT_THAT(run.counts.queued, UnorderedElementsAre(Pair("active UnscheduledPodAdd", 1)));
  EXPECT_THAT(run.counts.events, UnorderedElementsAre(Pair("NodeAdd", 2), Pair("UnscheduledPodAdd", 1)));
  EXPECT_THAT(run.counts.in_flight, UnorderedElementsAre(Pair("PodPopped", 0)));
}

TEST(Observer, HearsWhyAPodWaitsAndWhatMovesIt) {
  Observed run;
  run.world.Put(cluster::NodeBuilder("small").Capacity("500m", "1Gi").Build());
  run.world.Put(Pod("a").Build());
  run.world.ScheduleAll();

  EXPECT_THAT(run.counts.attempts, Contains(Pair("unschedulable", 1)));
  EXPECT_THAT(run.counts.failures,
              ::testing::ElementsAre(::testing::StartsWith("default/a: 0/1 nodes are available: 1 Insufficient cpu.")));
  EXPECT_THAT(run.counts.queued, Contains(Pair("unschedulable ScheduleAttemptFailure", 1)));
  EXPECT_THAT(run.counts.rejected, UnorderedElementsAre(Pair("NodeResourcesFit default-scheduler", 1)));
  EXPECT_EQ(run.counts.levels.unschedulable.pods, 1u);

  run.world.Pass(Seconds(2));
  run.world.Put(Node("n1"));
  EXPECT_THAT(run.counts.queued, Contains(Pair("active NodeAdd", 1)));
  EXPECT_THAT(run.counts.hints, Contains(Pair("NodeResourcesFit NodeAdd true", 1)));
  run.world.ScheduleAll();
  EXPECT_THAT(run.counts.rejected, UnorderedElementsAre(Pair("NodeResourcesFit default-scheduler", 0)));
}

TEST(Observer, GatedPodsAreCountedApartAndEnterTheirQueueOnce) {
  Observed run;
  run.world.Put(Pod("a").Gate("wait").Build());
  EXPECT_EQ(run.counts.levels.gated.pods, 1u);
  EXPECT_EQ(run.counts.levels.unschedulable.pods, 0u);
  EXPECT_THAT(run.counts.queued, UnorderedElementsAre(Pair("unschedulable UnscheduledPodAdd", 1)));
  EXPECT_THAT(run.counts.rejected, UnorderedElementsAre(Pair("SchedulingGates default-scheduler", 1)));
  EXPECT_THAT(run.counts.points, Contains(Pair("PreEnqueue Success", 1)));

  run.world.Remove("Pod", "default", "a");
  EXPECT_THAT(run.counts.rejected, UnorderedElementsAre(Pair("SchedulingGates default-scheduler", 0)));
  EXPECT_EQ(run.counts.levels.gated.pods, 0u);
}

TEST(Observer, HearsOfPreemptionsAndTheirEnd) {
  Observed run;
  run.world.Put(Node("n1"));
  run.world.Put(Pod("low").Node("n1").Request("cpu", "4").Priority(0).Build());
  run.world.Put(Pod("high").Request("cpu", "2").Priority(100).Build());
  run.world.ScheduleAll();
  EXPECT_EQ(run.counts.victims, 1u);
  EXPECT_EQ(run.counts.preemptions, 0);
  EXPECT_THAT(run.counts.evaluations, Contains(Pair("DefaultPreemption PostFilter", 1)));
  EXPECT_THAT(run.counts.points, Contains(Pair("PostFilter Success", 1)));

  run.world.Answer(run.world.Take<framework::EvictPod>()[0].first);
  run.world.Remove("Pod", "default", "low");
  EXPECT_EQ(run.counts.preemptions, 1);
  EXPECT_THAT(run.counts.preemption,
              ::testing::ElementsAre("default/high on n1", "default/low 1", "default/high on n1 done"));
  EXPECT_THAT(run.counts.harm, ::testing::ElementsAre("pod 0 0"));
}

TEST(Observer, HearsThatNothingCanBePreempted) {
  Observed run;
  run.world.Put(Node("n1"));
  run.world.Put(Pod("big").Request("cpu", "100").Priority(100).Build());
  run.world.ScheduleAll();

  EXPECT_THAT(run.counts.preemption, ::testing::ElementsAre("default/big on none"));
}

TEST(Observer, HearsOfEveryPodAndNodeThatComesAndGoes) {
  Observed run;
  run.world.Put(Node("n1"));
  run.world.Put(Pod("a").Build());
  run.world.Put(Pod("a").Node("n1").Build());
  run.world.Put(Pod("b").Build());
  run.world.Remove("Pod", "default", "b");
  run.world.Remove("Pod", "default", "a");
  run.world.Remove("Node", "", "n1");

  EXPECT_THAT(run.counts.changes,
              ::testing::ElementsAre("NodeAdd n1", "UnscheduledPodAdd default/a", "AssignedPodAdd default/a",
                                     "UnscheduledPodDelete default/a", "UnscheduledPodAdd default/b",
                                     "UnscheduledPodDelete default/b", "AssignedPodDelete default/a", "NodeDelete n1"));
}

TEST(Observer, FailedBindingIsAnError) {
  Observed run;
  run.world.Put(Node("n1"));
  run.world.Put(Pod("a").Build());
  run.world.ScheduleAll();
  run.world.Answer(run.world.Take<framework::BindPod>()[0].first, EffectAnswer::Code::kFailed, "no");

  EXPECT_THAT(run.counts.attempts, Contains(Pair("error", 1)));
  EXPECT_THAT(run.counts.attempts, Not(Contains(Key("scheduled"))));
  EXPECT_THAT(run.counts.points, Contains(Pair("Bind Error", 1)));
  EXPECT_THAT(run.counts.points, Contains(Pair("Unreserve Success", 1)));
  EXPECT_THAT(run.counts.queued, Contains(Pair("backoff ScheduleAttemptFailure", 1)));
}

}  // namespace
}  // namespace berth::scheduler
