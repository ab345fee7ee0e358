// SPDX-License-Identifier: Apache-2.0
// Extenders in the core: who is asked, what waits meanwhile, and what their answers lead to.
#include "scheduler/extender_calls.h"

#include <gtest/gtest.h>

#include "scheduler/test_core.h"

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

}  // namespace
}  // namespace berth::scheduler
