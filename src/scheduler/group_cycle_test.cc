// SPDX-License-Identifier: Apache-2.0
#include "scheduler/group_cycle.h"

#include <gtest/gtest.h>

#include <map>
#include <set>
#include <string>

#include "cluster/devices/test_devices.h"
#include "scheduler/test_groups.h"

namespace berth::scheduler {
namespace {

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

TEST(GroupCycle, NothingIsLeftOfAGroupWhoseMemberWentWhileItWasBound) {
  World world = GroupWorld();
  world.Put(Node("n1"));
  world.Put(Gang("g", 1));
  api::Pod pod = Member("a", "g");
  world.Put(pod);
  world.ScheduleAll();
  ASSERT_EQ(world.Take<framework::BindPod>().size(), 1u);

  pod.meta.deletion_timestamp = world.now();
  pod.meta.resource_version = "2";
  world.Put(pod);
  const cluster::PodGroupState* state = world.core().cluster().groups.Find({false, "default", "g"});
  ASSERT_NE(state, nullptr);
  EXPECT_EQ(state->scheduled_count(), 0u);

  world.Remove("Pod", "default", "a");
  world.Remove("PodGroup", "default", "g");

  EXPECT_EQ(world.core().cluster().groups.size(), 0u);
}

TEST(GroupCycle, AMemberThatAnUpdateBroughtBackIsNotQueuedTwice) {
  World world = GroupWorld();
  world.Put(Node("n1"));
  world.Put(Gang("g", 1));
  api::Pod pod = Member("a", "g");
  world.Put(pod);
  world.ScheduleAll();
  const auto bindings = world.Take<framework::BindPod>();
  ASSERT_EQ(bindings.size(), 1u);

  pod.meta.deletion_timestamp = world.now();
  for (const char* version : {"2", "3"}) {
    pod.meta.resource_version = version;
    world.Put(pod);
  }
  world.Answer(bindings[0].first, EffectAnswer::Code::kFailed, "being deleted");
  world.Remove("Pod", "default", "a");

  const queue::SchedulingQueue& queue = world.core().queue();
  EXPECT_EQ(queue.active().size() + queue.unschedulable().size(), 0u);
  EXPECT_EQ(queue.backoff().Find(queue::EntityKey({false, "default", "g"})), nullptr);
}

TEST(GroupCycle, AMemberThatIsGoingOutlivesItsGroup) {
  World world = GroupWorld();
  world.Put(Node("n1"));
  world.Put(Gang("g", 1));
  api::Pod pod = Member("a", "g");
  world.Put(pod);
  world.ScheduleAll();
  const auto bindings = world.Take<framework::BindPod>();
  ASSERT_EQ(bindings.size(), 1u);

  pod.meta.deletion_timestamp = world.now();
  pod.meta.resource_version = "2";
  world.Put(pod);
  world.Answer(bindings[0].first, EffectAnswer::Code::kFailed, "being deleted");
  world.Remove("PodGroup", "default", "g");
  pod.meta.resource_version = "3";
  world.Put(pod);

  const queue::SchedulingQueue& queue = world.core().queue();
  EXPECT_EQ(queue.active().size() + queue.unschedulable().size(), 0u) << "its group is gone";
  const queue::QueuedPod* waiting = queue.incomplete().Find(*world.core().pods().Find("default/a"));
  ASSERT_NE(waiting, nullptr);
  EXPECT_EQ(waiting->pod->resource_version, "3");
}

TEST(GroupCycle, MembersThatCameAtOnceGoByName) {
  World world = GroupWorld();
  world.Put(Node("n1"));
  api::PodGroup basic = Gang("g", 1);
  basic.spec.min_count.reset();
  for (const char* name : {"c", "a", "b"}) world.Put(Member(name, "g"));
  world.Put(basic);

  world.ScheduleAll();

  std::set<std::string> bound;
  for (const auto& [id, bind] : world.Take<framework::BindPod>()) bound.insert(bind.pod->name);
  EXPECT_EQ(bound, (std::set<std::string>{"a", "b"}));
}

TEST(GroupCycle, MembersWithOneClaimGoTogether) {
  World world = GroupWorld();
  for (const char* name : {"n1", "n2"}) {
    world.Put(Node(name));
    world.Put(
        cluster::TestSlice(std::string("slice-") + name, std::string("pool-") + name, name, cluster::TestDevices(1)));
  }
  world.Put(cluster::TestClass());
  world.Put(cluster::TestClaim("shared", {cluster::TestRequest("req")}));
  world.Put(Gang("g", 2));
  for (const char* name : {"a", "b"}) {
    api::Pod pod = Member(name, "g");
    pod.spec.resource_claims = {{.name = "gpu", .claim_name = "shared", .template_name = {}}};
    world.Put(pod);
  }

  world.ScheduleAll();

  // The second goes where the device of the first one is, before any claim was written.
  std::set<std::string> nodes;
  for (const auto& [uid, pod] : world.core().cluster().groups.Find({false, "default", "g"})->assumed) {
    nodes.insert(pod->node_name);
  }
  EXPECT_EQ(world.core().cluster().assumed_count(), 2u);
  EXPECT_EQ(nodes.size(), 1u);
}

}  // namespace
}  // namespace berth::scheduler
