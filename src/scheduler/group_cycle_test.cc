// SPDX-License-Identifier: Apache-2.0
#include "scheduler/group_cycle.h"

#include <gtest/gtest.h>

#include <map>
#include <string>

#include "scheduler/test_core.h"

namespace berth::scheduler {
namespace {

framework::FeatureGates WithGroups() { return framework::FeatureGates::Create({{"GenericWorkload", true}}).value(); }

api::PodGroup Gang(std::string name, int32_t min_count) {
  api::PodGroup group;
  group.meta.ns = "default";
  group.meta.name = std::move(name);
  group.meta.uid = "uid-" + group.meta.name;
  group.meta.resource_version = "1";
  group.spec.min_count = min_count;
  return group;
}

// Two of them fit on a node.
api::Pod Member(std::string name, std::string group) {
  api::Pod pod = Pod(std::move(name)).Request("cpu", "2");
  pod.spec.scheduling_group = std::move(group);
  return pod;
}

World GroupWorld() { return World(DefaultConfiguration("GangScheduling"), plugins::BuiltIn(), WithGroups()); }

TEST(GroupCycle, GangThatDoesNotFitHoldsNothingAndStartsWhenItDoes) {
  World world = GroupWorld();
  world.Put(Node("n1"));
  world.Put(Gang("g", 3));
  for (const char* name : {"a", "b", "c"}) world.Put(Member(name, "g"));

  world.ScheduleAll();

  EXPECT_TRUE(world.Take<framework::BindPod>().empty());
  EXPECT_EQ(world.core().cluster().assumed_count(), 0u);
  const auto conditions = world.Take<framework::PatchPodGroupStatus>();
  ASSERT_EQ(conditions.size(), 1u);
  EXPECT_EQ(conditions[0].second.condition.reason, "Unschedulable");

  world.Put(Node("n2"));
  world.Pass(Seconds(3));
  world.ScheduleAll();

  EXPECT_EQ(world.Take<framework::BindPod>().size(), 3u);
  EXPECT_TRUE(world.Take<framework::NominatePod>().empty());
  EXPECT_EQ(world.Take<framework::PatchPodGroupStatus>().at(0).second.condition.status, "True");
}

TEST(GroupCycle, MembersWaitUntilEnoughOfThemAreKnown) {
  World world = GroupWorld();
  world.Put(Node("n1"));
  world.Put(Member("a", "g"));
  EXPECT_EQ(world.core().queue().incomplete().size(), 1u);
  world.Put(Gang("g", 2));
  world.ScheduleAll();
  EXPECT_TRUE(world.Take<framework::BindPod>().empty());
  EXPECT_TRUE(world.Take<framework::RecordEvent>().empty());  // Nobody is told about a group that is not there yet.

  world.Put(Member("b", "g"));
  world.ScheduleAll();

  EXPECT_EQ(world.Take<framework::BindPod>().size(), 2u);
}

TEST(GroupCycle, WithoutTheGateMembersAreScheduledAlone) {
  World world{DefaultConfiguration()};
  world.Put(Node("n1"));
  world.Put(Gang("g", 3));
  world.Put(Member("a", "g"));

  world.ScheduleAll();

  EXPECT_EQ(world.Take<framework::BindPod>().size(), 1u);
}

TEST(GroupCycle, ForgottenMembersAreNotCountedAfterTheyAreGone) {
  World world = GroupWorld();
  world.Put(Node("n1"));
  world.Put(Gang("g", 1));
  world.Put(Member("a", "g"));
  world.ScheduleAll();
  const auto bindings = world.Take<framework::BindPod>();
  ASSERT_EQ(bindings.size(), 1u);

  world.Remove("Pod", "default", "a");
  world.Answer(bindings[0].first, EffectAnswer::Code::kFailed, "not found");

  const cluster::PodGroupState* state = world.core().cluster().groups.Find({false, "default", "g"});
  ASSERT_NE(state, nullptr);
  EXPECT_TRUE(state->pods.empty());
}

}  // namespace
}  // namespace berth::scheduler
