// SPDX-License-Identifier: Apache-2.0
// Pods on nodes whose resize was deferred (gate InPlacePodVerticalScalingSchedulerPreemption).

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <string>

#include "scheduler/test_core.h"

namespace berth::scheduler {
namespace {

World ResizeWorld(const std::map<std::string, bool>& gates = {{"InPlacePodVerticalScalingSchedulerPreemption", true}}) {
  framework::SchedulerConfiguration configuration = DefaultConfiguration("GangScheduling");
  auto& enabled = configuration.profiles[0].plugins.multi_point.enabled;
  enabled.insert(std::ranges::find(enabled, "NodeResourcesFit", &framework::PluginReference::name),
                 {"DeferredPodScheduling"});
  return World(configuration, plugins::BuiltIn(), framework::FeatureGates::Create(gates).value());
}

// Holds one of the node's four cpus and wants three.
cluster::PodBuilder Growing(std::string version = "2", const char* wanted = "3") {
  cluster::PodBuilder pod = Pod("growing");
  pod.Node("n1").Priority(100).Request("cpu", wanted).ResourceVersion(std::move(version));
  pod.ContainerStatus("main", cluster::Amounts({{"cpu", "1"}}), cluster::Amounts({{"cpu", "1"}}));
  return pod.Condition("PodResizePending", "True", "Deferred");
}

api::Pod Low(const char* cpu = "2") { return Pod("low").Node("n1").Request("cpu", cpu).Priority(0); }

bool IsQueued(World& world) {
  const queue::SchedulingQueue& queue = world.core().queue();
  return queue.active().Find("default/growing") != nullptr || queue.backoff().Find("default/growing") != nullptr ||
         queue.unschedulable().Find("default/growing") != nullptr;
}

// The pod runs: it is neither bound nor told that it is not scheduled.
void ExpectNothingTold(World& world) {
  EXPECT_TRUE(world.Take<framework::BindPod>().empty());
  EXPECT_TRUE(world.Take<framework::PatchPodStatus>().empty());
  EXPECT_TRUE(world.Take<framework::NominatePod>().empty());
  EXPECT_TRUE(world.core().cluster().nominated.NodeOf("uid-growing").empty());
  for (const auto& [id, event] : world.Take<framework::RecordEvent>()) EXPECT_EQ(event.reason, "Preempted");
}

TEST(Resize, PodsOfLowerPriorityGiveWayToOneThatGrowsOnItsNode) {
  World world = ResizeWorld();
  world.Put(Node("n1"));
  world.Put(Node("empty"));
  world.Put(Low());
  world.Put(Pod("growing").Node("n1").Priority(100).Build());
  world.ScheduleAll();
  EXPECT_TRUE(world.Take<framework::EvictPod>().empty());

  world.Put(Growing());
  world.ScheduleAll();

  const auto evictions = world.Take<framework::EvictPod>();
  ASSERT_EQ(evictions.size(), 1u);
  EXPECT_EQ(evictions[0].second.victim->name, "low");
  world.Answer(evictions[0].first);
  world.Remove("Pod", "default", "low");
  for (int i = 0; i < 10; ++i) {
    world.Pass(Seconds(10));
    world.ScheduleAll();
  }
  EXPECT_TRUE(IsQueued(world)) << "until the kubelet has resized it";
  ExpectNothingTold(world);
}

TEST(Resize, PodLeavesTheQueueWhenItIsResizedOrGone) {
  World world = ResizeWorld();
  world.Put(Node("n1"));
  world.Put(Low("1"));
  world.Put(Growing("2", "5"));
  world.ScheduleAll();
  EXPECT_TRUE(IsQueued(world));

  world.Put(Pod("growing").Node("n1").Priority(100).Request("cpu", "2").ResourceVersion("3").Build());
  EXPECT_FALSE(IsQueued(world));

  world.Put(Growing("4"));
  EXPECT_TRUE(IsQueued(world));
  world.Remove("Pod", "default", "growing");
  EXPECT_FALSE(IsQueued(world));
  EXPECT_FALSE(world.core().cluster().FindPod("uid-growing"));
}

TEST(Resize, NodeMayObjectToEvictions) {
  World world = ResizeWorld();
  api::Node objecting = Node("n1");
  objecting.has_preemption_policy = true;
  objecting.disable_resize_preemption = {"example.com/operator"};
  world.Put(objecting);
  world.Put(Low());
  world.Put(Growing());
  world.ScheduleAll();
  EXPECT_TRUE(world.Take<framework::EvictPod>().empty());

  world.Put(Node("n1"));
  world.Pass(Seconds(10));
  world.ScheduleAll();

  EXPECT_EQ(world.Take<framework::EvictPod>().size(), 1u);
  ExpectNothingTold(world);
}

TEST(Resize, OnlyWhatHappensOnItsNodeBringsThePodBack) {
  World world = ResizeWorld();
  world.Put(Node("n1"));
  world.Put(Node("n2"));
  world.Put(Pod("equal").Node("n1").Request("cpu", "2").Priority(100).Build());
  world.Put(Pod("elsewhere").Node("n2").Request("cpu", "2").Priority(100).Build());
  world.Put(Growing());
  world.ScheduleAll();
  ASSERT_NE(world.core().queue().unschedulable().Find("default/growing"), nullptr);

  world.Remove("Pod", "default", "elsewhere");
  EXPECT_NE(world.core().queue().unschedulable().Find("default/growing"), nullptr);
  world.Remove("Pod", "default", "equal");
  EXPECT_EQ(world.core().queue().unschedulable().Find("default/growing"), nullptr);
}

TEST(Resize, PodThatWantsEvenMoreIsTriedAgain) {
  World world = ResizeWorld();
  world.Put(Node("n1"));
  world.Put(Pod("equal").Node("n1").Request("cpu", "2").Priority(100).Build());
  world.Put(Growing());
  world.ScheduleAll();
  ASSERT_NE(world.core().queue().unschedulable().Find("default/growing"), nullptr);

  world.Put(Growing("3", "4"));

  EXPECT_NE(world.core().queue().backoff().Find("default/growing"), nullptr);
}

TEST(Resize, FiltersThatSpeakOfWhereAPodMayGoAreNotAsked) {
  World world = ResizeWorld();
  world.Put(cluster::NodeBuilder("n1").Capacity("4", "8Gi").Taint("gone", "", "NoSchedule").Unschedulable().Build());
  world.Put(Low());
  world.Put(Growing().NodeSelector("disk", "ssd").HostPort(80).Build());

  world.ScheduleAll();

  EXPECT_EQ(world.Take<framework::EvictPod>().size(), 1u);
}

TEST(Resize, MemberOfAGroupIsQueuedAlone) {
  World world = ResizeWorld({{"InPlacePodVerticalScalingSchedulerPreemption", true}, {"GenericWorkload", true}});
  world.Put(Node("n1"));
  world.Put(Low());
  api::PodGroup gang;
  gang.meta.ns = "default";
  gang.meta.name = "g";
  gang.spec.min_count = 1;
  world.Put(gang);
  api::Pod member = Growing();
  member.spec.scheduling_group = "g";
  world.Put(member);
  EXPECT_TRUE(IsQueued(world));

  world.ScheduleAll();

  EXPECT_EQ(world.Take<framework::EvictPod>().size(), 1u);
  api::Pod resized = Pod("growing").Node("n1").ResourceVersion("3");
  resized.spec.scheduling_group = "g";
  world.Put(resized);
  EXPECT_FALSE(IsQueued(world));
  EXPECT_EQ(world.core().cluster().groups.Find({false, "default", "g"})->assigned.size(), 1u);
}

TEST(Resize, WithoutTheGateAndForForeignPodsNothingHappens) {
  for (const bool is_foreign : {false, true}) {
    SCOPED_TRACE(is_foreign);
    World world = is_foreign ? ResizeWorld() : ResizeWorld({});
    world.Put(Node("n1"));
    world.Put(Low());
    world.Put(Growing().SchedulerName(is_foreign ? "another" : "default-scheduler").Build());

    world.ScheduleAll();

    EXPECT_FALSE(IsQueued(world));
    EXPECT_TRUE(world.Take<framework::EvictPod>().empty());
  }
}

}  // namespace
}  // namespace berth::scheduler
