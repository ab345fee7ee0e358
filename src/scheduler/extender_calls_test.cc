// SPDX-License-Identifier: Apache-2.0
// Extenders in the core: who is asked, what waits meanwhile, and what their answers lead to.
#include "scheduler/extender_calls.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "scheduler/test_groups.h"

namespace berth::scheduler {
namespace {

using framework::CallExtender;
using framework::ExtenderConfiguration;

constexpr const char* kGpu = "example.com/gpu";

ExtenderConfiguration ByName(std::string filter, std::string prioritize = "") {
  ExtenderConfiguration extender;
  extender.url_prefix = "http://extender";
  extender.filter_verb = std::move(filter);
  extender.prioritize_verb = std::move(prioritize);
  extender.weight = 1;
  extender.node_cache_capable = true;
  return extender;
}

framework::SchedulerConfiguration With(std::vector<ExtenderConfiguration> extenders) {
  framework::SchedulerConfiguration configuration = DefaultConfiguration();
  configuration.extenders = std::move(extenders);
  return configuration;
}

// A pod that an extender for kGpu is interested in.
api::Pod GpuPod(std::string name) {
  api::Pod pod = Pod(std::move(name)).Build();
  pod.spec.containers.back().limits = cluster::Amounts({{kGpu, "1"}});
  return pod;
}

// The only call that is under way.
std::pair<uint64_t, CallExtender> OnlyCall(World& world) {
  const auto calls = world.Take<CallExtender>();
  EXPECT_EQ(calls.size(), 1u);
  return calls.empty() ? std::pair<uint64_t, CallExtender>() : calls.front();
}

std::string OnlyNode(World& world) {
  const auto binds = world.Take<framework::BindPod>();
  return binds.size() == 1 ? binds.front().second.node_name : std::to_string(binds.size()) + " bindings";
}

std::string OnlyNote(World& world) {
  const auto events = world.Take<framework::RecordEvent>();
  return events.size() == 1 ? events.front().second.note : std::to_string(events.size()) + " events";
}

TEST(ExtenderCalls, FilterDecidesAmongTheNodesThatFit) {
  World world(With({ByName("filter")}));
  for (const char* name : {"n1", "n2", "n3"}) world.Put(Node(name));
  world.Put(Pod("a").Build());
  world.ScheduleAll();
  const auto [id, call] = OnlyCall(world);
  EXPECT_EQ(call.verb, "filter");
  EXPECT_NE(call.body.find(R"("NodeNames":["n1","n2","n3"])"), std::string::npos) << call.body;
  EXPECT_FALSE(world.core().HasWork());

  world.Answer(id, EffectAnswer::Code::kOk, R"({"NodeNames":["n2"]})");
  EXPECT_EQ(OnlyNode(world), "n2");
}

TEST(ExtenderCalls, PrioritizeIsAskedOfAllAtOnceAndAddsToTheScores) {
  World world(With({ByName("", "one"), ByName("", "two")}));
  for (const char* name : {"n1", "n2"}) world.Put(Node(name));
  world.Put(Pod("a").Build());
  world.ScheduleAll();
  const auto calls = world.Take<CallExtender>();
  ASSERT_EQ(calls.size(), 2u);
  world.Answer(calls[0].first, EffectAnswer::Code::kFailed, "down");  // Is ignored.
  world.Answer(calls[1].first, EffectAnswer::Code::kOk, R"([{"Host":"n2","Score":10}])");
  EXPECT_EQ(OnlyNode(world), "n2");
}

TEST(ExtenderCalls, FailureEndsTheAttemptUnlessItIsIgnorable) {
  for (const bool ignorable : {false, true}) {
    ExtenderConfiguration extender = ByName("filter");
    extender.ignorable = ignorable;
    World world(With({extender}));
    world.Put(Node("n1"));
    world.Put(Pod("a").Build());
    world.ScheduleAll();
    world.Answer(OnlyCall(world).first, EffectAnswer::Code::kUnknown, "no answer");
    if (ignorable) {
      EXPECT_EQ(OnlyNode(world), "n1");
    } else {
      EXPECT_EQ(OnlyNote(world), "no answer");
      EXPECT_EQ(world.Take<framework::PatchPodStatus>().at(0).second.condition->reason, "SchedulerError");
    }
  }
}

TEST(ExtenderCalls, ReasonsOfTheExtenderAreReportedAndAnyEventHelps) {
  World world(With({ByName("filter")}));
  world.Put(Node("n1"));
  world.Put(Node("n2"));
  world.Put(Pod("a").Build());
  world.ScheduleAll();
  world.Answer(
      OnlyCall(world).first, EffectAnswer::Code::kOk,
      R"({"NodeNames":[],"FailedNodes":{"n1":"no gpu","ghost":"no such node"},"FailedAndUnresolvableNodes":{"n2":"no rack"}})");
  EXPECT_EQ(OnlyNote(world),
            "0/2 nodes are available: 1 no gpu, 1 no rack, 1 no such node. preemption: 0/2 nodes are available: "
            "1 No preemption victims found for incoming pod, 1 Preemption is not helpful for scheduling.");
  world.Pass(Seconds(2));
  EXPECT_FALSE(world.core().HasWork());
  world.Put(cluster::NodeBuilder("n1").Capacity("4", "8Gi").Label("seen", "yes").Build());
  EXPECT_TRUE(world.core().HasWork());
}

TEST(ExtenderCalls, OtherPodsGoOnWhileAnExtenderThinks) {
  ExtenderConfiguration extender = ByName("filter");
  extender.managed_resources = {{kGpu, true}};
  World world(With({extender}));
  world.Put(cluster::NodeBuilder("n1").Capacity("4", "8Gi").Build());
  world.Put(GpuPod("gpu-1"));
  world.Put(GpuPod("gpu-2"));
  world.Put(Pod("plain").Build());
  world.ScheduleAll();
  const auto [id, call] = OnlyCall(world);  // One at a time.
  EXPECT_EQ(call.pod->name, "gpu-1");
  const auto binds = world.Take<framework::BindPod>();
  ASSERT_EQ(binds.size(), 1u);
  EXPECT_EQ(binds[0].second.pod->name, "plain");
  world.Answer(id, EffectAnswer::Code::kOk, R"({"NodeNames":["n1"]})");
  EXPECT_EQ(OnlyNode(world), "n1");
  EXPECT_TRUE(world.core().HasWork());
  world.ScheduleAll();
  EXPECT_EQ(OnlyCall(world).second.pod->name, "gpu-2");
}

TEST(ExtenderCalls, NodeThatWasFilledMeanwhileIsNotTaken) {
  ExtenderConfiguration extender = ByName("filter");
  extender.managed_resources = {{kGpu, true}};
  World world(With({extender}));
  world.Put(cluster::NodeBuilder("n1").Capacity("1", "8Gi").Build());
  world.Put(GpuPod("gpu"));
  world.ScheduleAll();
  world.Put(Pod("plain").Build());
  world.ScheduleAll();
  EXPECT_EQ(OnlyNode(world), "n1");  // Of the plain one.
  world.Put(Node("n2"));             // The extender does not know it yet.
  world.Answer(OnlyCall(world).first, EffectAnswer::Code::kOk, R"({"NodeNames":["n1"]})");
  EXPECT_TRUE(world.Take<framework::BindPod>().empty());
  EXPECT_EQ(OnlyNote(world).substr(0, 55), "0/2 nodes are available: 1 Insufficient cpu. preemption");
}

TEST(ExtenderCalls, CallIsCancelledWhenThePodGoes) {
  World world(With({ByName("filter")}));
  world.Put(Node("n1"));
  world.Put(Pod("a").Build());
  world.Put(Pod("b").Build());
  world.ScheduleAll();
  const auto [id, call] = OnlyCall(world);
  world.Remove("Pod", "default", "a");
  const auto cancelled = world.Take<framework::CancelExtenderCall>();
  ASSERT_EQ(cancelled.size(), 1u);
  EXPECT_EQ(cancelled[0].second.id, id);
  world.Answer(id, EffectAnswer::Code::kOk, R"({"NodeNames":["n1"]})");  // Too late.
  EXPECT_TRUE(world.Take<framework::BindPod>().empty());
  world.ScheduleAll();
  EXPECT_EQ(OnlyCall(world).second.pod->name, "b");
}

TEST(ExtenderCalls, ExtenderThatBindsIsCalledInsteadOfThePlugin) {
  ExtenderConfiguration extender = ByName("");
  extender.bind_verb = "bind";
  World world(With({extender}));
  world.Put(Node("n1"));
  world.Put(Pod("a").Build());
  world.ScheduleAll();
  const auto [id, call] = OnlyCall(world);
  EXPECT_EQ(call.body, R"({"PodName":"a","PodNamespace":"default","PodUID":"uid-a","Node":"n1"})");
  world.Answer(id, EffectAnswer::Code::kOk, R"({"Error":""})");
  EXPECT_EQ(OnlyNote(world), "Successfully assigned default/a to n1");
  EXPECT_TRUE(world.Take<framework::BindPod>().empty());
}

TEST(ExtenderCalls, BindingOfUnknownFateIsReadBack) {
  ExtenderConfiguration extender = ByName("");
  extender.bind_verb = "bind";
  World world(With({extender}));
  world.Put(Node("n1"));
  world.Put(Pod("a").Build());
  world.ScheduleAll();
  world.Answer(OnlyCall(world).first, EffectAnswer::Code::kUnknown, "timed out");
  EXPECT_TRUE(world.Take<framework::RecordEvent>().empty());
  const auto reads = world.Take<framework::ReadPod>();
  ASSERT_EQ(reads.size(), 1u);
  world.Answer(reads[0].first);
  EXPECT_EQ(OnlyNote(world), "timed out");
}

TEST(ExtenderCalls, NodeObjectsThatAreReturnedAreScoredAsIfEmpty) {
  ExtenderConfiguration extender = ByName("filter");
  extender.node_cache_capable = false;
  World world(With({extender}));
  world.Put(Node("n1"));
  world.Put(Node("n2"));
  world.Put(Pod("other").Node("n1").Request("cpu", "2").Build());
  world.Put(Pod("a").Build());
  world.ScheduleAll();
  const std::string node =
      R"({"metadata":{"name":"%"},"status":{"allocatable":{"cpu":"4","memory":"8Gi","pods":"110"}}})";
  const auto named = [&](const char* name) { return std::string(node).replace(node.find('%'), 1, name); };
  world.Answer(OnlyCall(world).first, EffectAnswer::Code::kOk,
               R"({"Nodes":{"items":[)" + named("n1") + "," + named("n2") + "]}}");
  // n1 looks as good as n2, and has the smaller name.
  EXPECT_EQ(OnlyNode(world), "n1");
  EXPECT_EQ(world.core().cluster().nodes().row_count(), 2u);
}

// A world with groups, in which an extender filters.
World WithGroupsAndFilter(std::vector<ExtenderConfiguration> extenders = {ByName("filter")}) {
  framework::SchedulerConfiguration configuration = DefaultConfiguration("GangScheduling");
  configuration.extenders = std::move(extenders);
  return World(configuration, plugins::BuiltIn(), WithGroups());
}

// The extender is being asked about the only member of a gang, a, on the only node, n1.
World AskedAboutAGangOfOne() {
  World world = WithGroupsAndFilter();
  world.Put(Node("n1"));
  world.Put(Gang("g", 1));
  world.Put(Member("a", "g"));
  world.ScheduleAll();
  return world;
}

void Filter(World& world, std::string_view pod, std::string_view nodes) {
  const auto [id, call] = OnlyCall(world);
  EXPECT_EQ(call.pod->name, pod);
  world.Answer(id, EffectAnswer::Code::kOk, fmt::format(R"({{"NodeNames":[{}]}})", nodes));
}

std::vector<std::string> Bindings(World& world) {
  std::vector<std::string> bindings;
  for (const auto& [id, bind] : world.Take<framework::BindPod>()) {
    bindings.push_back(bind.pod->name + " on " + bind.node_name);
  }
  return bindings;
}

TEST(ExtenderCalls, EveryMemberOfAGroupIsAskedAboutInItsTurn) {
  World world = WithGroupsAndFilter();
  for (const char* name : {"n1", "n2"}) world.Put(Node(name));
  world.Put(Gang("g", 3));
  for (const char* name : {"a", "b", "c"}) world.Put(Member(name, "g"));

  world.ScheduleAll();
  Filter(world, "a", R"("n2")");
  Filter(world, "b", R"("n2")");
  // Two members fill a node: there is nothing else left to ask about.
  const auto [id, call] = OnlyCall(world);
  EXPECT_NE(call.body.find(R"("NodeNames":["n1"])"), std::string::npos) << call.body;
  EXPECT_THAT(Bindings(world), ::testing::IsEmpty());
  world.Answer(id, EffectAnswer::Code::kOk, R"({"NodeNames":["n1"]})");

  EXPECT_THAT(Bindings(world), ::testing::UnorderedElementsAre("a on n2", "b on n2", "c on n1"));
  EXPECT_TRUE(world.core().waiting_for_extenders().empty());
}

TEST(ExtenderCalls, AGroupOfWhichAnExtenderTurnsAMemberDownHoldsNothing) {
  World world = WithGroupsAndFilter();
  world.Put(Node("n1"));
  world.Put(Gang("g", 2));
  for (const char* name : {"a", "b"}) world.Put(Member(name, "g"));

  world.ScheduleAll();
  Filter(world, "a", R"("n1")");
  Filter(world, "b", "");

  EXPECT_THAT(Bindings(world), ::testing::IsEmpty());
  EXPECT_EQ(world.core().cluster().assumed_count(), 0u);
  EXPECT_EQ(world.core().queue().backoff().census().members, 2u);
}

TEST(ExtenderCalls, NothingElseIsTriedWhileExtendersAreAskedAboutAGroup) {
  ExtenderConfiguration extender = ByName("filter");
  extender.managed_resources = {{kGpu, true}};
  World world = WithGroupsAndFilter({extender});
  world.Put(Node("n1"));
  world.Put(Gang("g", 1));
  api::Pod member = GpuPod("a");
  member.spec.scheduling_group = "g";
  world.Put(member);
  world.ScheduleAll();
  const auto [id, call] = OnlyCall(world);

  world.Put(Pod("plain").Build());
  EXPECT_FALSE(world.core().HasWork());
  world.Answer(id, EffectAnswer::Code::kOk, R"({"NodeNames":["n1"]})");
  EXPECT_TRUE(world.core().HasWork());
}

TEST(ExtenderCalls, MembersThatGoWhileExtendersAreAskedAreLeftOut) {
  World world = WithGroupsAndFilter();
  world.Put(Node("n1"));
  world.Put(Gang("g", 1));
  for (const char* name : {"a", "b"}) world.Put(Member(name, "g"));
  world.ScheduleAll();
  const auto [id, call] = OnlyCall(world);

  world.Remove("Pod", "default", "a");
  EXPECT_EQ(world.core().waiting_for_extenders().size(), 1u);
  world.Answer(id, EffectAnswer::Code::kOk, R"({"NodeNames":["n1"]})");
  world.ScheduleAll();
  Filter(world, "b", R"("n1")");
  EXPECT_THAT(Bindings(world), ::testing::ElementsAre("b on n1"));
}

TEST(ExtenderCalls, AGroupIsGivenUpWhenAllItsMembersGoWhileExtendersAreAsked) {
  World world = AskedAboutAGangOfOne();
  EXPECT_EQ(world.Take<CallExtender>().size(), 1u);
  world.Put(Member("late", "g"));

  world.Remove("Pod", "default", "a");
  EXPECT_EQ(world.Take<framework::CancelExtenderCall>().size(), 1u);
  // The member that came meanwhile is next.
  world.ScheduleAll();
  Filter(world, "late", R"("n1")");
  EXPECT_THAT(Bindings(world), ::testing::ElementsAre("late on n1"));
}

TEST(ExtenderCalls, AGroupWhoseObjectGoesWhileExtendersAreAskedWaitsForIt) {
  World world = AskedAboutAGangOfOne();
  const auto [id, call] = OnlyCall(world);

  world.Remove("PodGroup", "default", "g");
  world.Answer(id, EffectAnswer::Code::kOk, R"({"NodeNames":["n1"]})");

  EXPECT_THAT(Bindings(world), ::testing::IsEmpty());
  EXPECT_EQ(world.core().queue().incomplete().size(), 1u);
  EXPECT_TRUE(world.core().queue().in_flight().empty());
}

TEST(ExtenderCalls, AGroupIsQueuedAnewIfTheConfigurationChangesWhileExtendersAreAsked) {
  World world = WithGroupsAndFilter();
  for (const char* name : {"n1", "n2"}) world.Put(Node(name));
  world.Put(Gang("g", 2));
  for (const char* name : {"a", "b"}) world.Put(Member(name, "g"));
  world.ScheduleAll();
  EXPECT_EQ(world.Take<CallExtender>().size(), 1u);
  world.Put(Member("late", "g"));

  const auto without =
      std::make_shared<const framework::SchedulerConfiguration>(DefaultConfiguration("GangScheduling"));
  world.core().Step({world.now(), Reconfigure{without}});
  EXPECT_TRUE(world.core().waiting_for_extenders().empty());
  EXPECT_EQ(world.core().queue().pending().size(), 0u);
  world.ScheduleAll();

  EXPECT_EQ(Bindings(world).size(), 3u);
  EXPECT_TRUE(world.core().queue().in_flight().empty());
}

TEST(ExtenderCalls, ACopyOfACoreAsksAboutAGroupAnew) {
  World world = AskedAboutAGangOfOne();
  EXPECT_EQ(world.Take<CallExtender>().size(), 1u);
  world.Put(Member("late", "g"));

  const std::unique_ptr<Core> copy = world.core().Copy();

  EXPECT_EQ(copy->queue().active().census().members, 2u);
  EXPECT_EQ(copy->queue().pending().size(), 0u);
  const std::vector<IssuedEffect> effects = copy->Step({world.now(), ScheduleNext{}});
  EXPECT_EQ(
      std::ranges::count_if(
          effects, [](const IssuedEffect& issued) { return std::holds_alternative<CallExtender>(issued.effect); }),
      1);
  EXPECT_EQ(copy->waiting_for_extenders().size(), 2u);
}

}  // namespace
}  // namespace berth::scheduler
