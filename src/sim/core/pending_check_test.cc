// SPDX-License-Identifier: Apache-2.0
#include "sim/core/pending_check.h"

#include <gtest/gtest.h>

#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "config/config.h"
#include "scheduler/test_groups.h"
#include "sim/core/group_gates.h"

namespace berth::sim {
namespace {

using scheduler::Pod;

const framework::FeatureGates kTopologyGates = GroupGates(2);

scheduler::World MakeGroupWorld() {
  return scheduler::World(config::Default(kTopologyGates), plugins::BuiltIn(), kTopologyGates);
}

// A gang of one pod, which is worth more than others.
api::PodGroup ImportantGang() {
  api::PodGroup gang = scheduler::Gang("g", 1);
  gang.spec.priority = 10;
  return gang;
}
cluster::PodBuilder MemberOfGang(const std::string& name) {
  cluster::PodBuilder member(name);
  member.raw() = scheduler::Member(name, "g");
  return member;
}
cluster::PodBuilder ImportantMember() {
  cluster::PodBuilder member = MemberOfGang("m");
  member.Priority(10);
  return member;
}

TEST(PendingCheck, RoomThatOnlyTheCoreKnowsOfIsTaken) {
  const api::Object node = scheduler::Node("n1");
  const api::Object member = ImportantMember().Build();
  const api::Object other = Pod("other").Request("cpu", "4").Build();
  scheduler::World world = MakeGroupWorld();
  world.Put(node);
  world.Put(Pod("low").Node("n1").Request("cpu", "4").Build());
  world.Put(ImportantGang());
  world.Put(member);
  world.ScheduleAll();
  ASSERT_EQ(world.Take<framework::EvictPod>().size(), 1u);

  world.Remove("Pod", "default", "low");
  world.Remove("PodGroup", "default", "g");  // Before the member was tried again; it stays nominated.
  world.Put(other);
  world.ScheduleAll();

  EXPECT_EQ(world.Take<framework::BindPod>().size(), 0u);
  const std::vector<api::Object> objects = {node, member, other};
  EXPECT_EQ(FindWhatFits(world.core(), objects), "");
  EXPECT_EQ(FindWhatFits(MakeGroupWorld().core(), objects),
            "pod default/other (uid-other) is pending, although it fits on node n1");
}

TEST(PendingCheck, GroupThatMadeRoomMayWaitForItsTime) {
  const api::Object useless = cluster::NodeBuilder("n1").Capacity("4", "8Gi").Zone("a").Build();
  const api::Object useful = cluster::NodeBuilder("n2").Capacity("4", "8Gi").Zone("b").Label("disk", "ssd").Build();
  api::PodGroup gang = ImportantGang();
  gang.spec.topology_key = "topology.kubernetes.io/zone";
  const api::Object member = ImportantMember().NodeSelector("disk", "ssd").Build();
  scheduler::World world = MakeGroupWorld();
  world.Put(useless);
  world.Put(useful);
  world.Put(Pod("low").Node("n2").Request("cpu", "4").Build());
  world.Put(gang);
  world.Put(member);
  world.ScheduleAll();
  world.Answer(world.Take<framework::EvictPod>().at(0).first);

  // Of the two domains the first speaks for the member, and NodeAffinity does not ask for pods that leave.
  world.Remove("Pod", "default", "low");
  world.Pass(Seconds(60));
  world.ScheduleAll();
  ASSERT_EQ(world.Take<framework::BindPod>().size(), 0u);
  const std::vector<api::Object> objects = {useless, useful, gang, member};
  EXPECT_EQ(FindWhatFits(world.core(), objects), "");
  EXPECT_EQ(FindWhatFits(MakeGroupWorld().core(), objects),
            "podgroup/default/g waits, although its pod default/m fits on node n2");

  world.Pass(Minutes(6));
  world.Pass(Minutes(1));
  world.ScheduleAll();
  EXPECT_EQ(world.Take<framework::BindPod>().size(), 1u);
}

TEST(PendingCheck, MembersAreTriedInTheOrderOfTheQueue) {
  const api::Object useful = cluster::NodeBuilder("n1").Capacity("2", "8Gi").Label("disk", "ssd").Build();
  const api::Object other = cluster::NodeBuilder("n2").Capacity("2", "8Gi").Build();
  const api::Object gang = scheduler::Gang("g", 2);
  const api::Object choosy = MemberOfGang("a").NodeSelector("disk", "ssd").Build();
  const api::Object easy = MemberOfGang("z").Build();
  scheduler::World world = MakeGroupWorld();
  for (const api::Object& object : {useful, other, gang, easy}) world.Put(object);
  world.Put(MemberOfGang("b").NodeSelector("disk", "none").Build());
  world.ScheduleAll();

  // The one that was tried before goes first, each time, and takes the only node of the new one.
  world.Remove("Pod", "default", "b");
  world.Put(choosy);
  for (int minute = 0; minute < 12; ++minute) {
    world.Pass(Minutes(1));
    world.ScheduleAll();
  }
  ASSERT_TRUE(world.core().last_group().has_value());
  EXPECT_EQ(world.core().last_group()->members.size(), 2u);
  ASSERT_EQ(world.Take<framework::BindPod>().size(), 0u);
  const std::vector<api::Object> objects = {useful, other, gang, choosy, easy};
  EXPECT_EQ(FindWhatFits(world.core(), objects), "");
  EXPECT_EQ(FindWhatFits(MakeGroupWorld().core(), objects),
            "podgroup/default/g waits, although its pod default/a fits on node n1");
}

class LastChooser final : public framework::Chooser {
 public:
  cluster::NodeSlot ChooseBest(const framework::Profile&, framework::Cycle&,
                               std::span<const cluster::NodeSlot> best) const override {
    return best.back();
  }
  size_t ChoosePreemption(const framework::Cycle&, std::span<const cluster::NodeSlot>) const override { return 0; }
  size_t Offset(const framework::Cycle&, size_t) const override { return 0; }
};

TEST(PendingCheck, AmongEqualsTheCoreMayHaveChosenTheWrongOne) {
  const api::Object other = cluster::NodeBuilder("n1").Capacity("2", "8Gi").Build();
  const api::Object useful = cluster::NodeBuilder("n2").Capacity("2", "8Gi").Label("disk", "ssd").Build();
  const api::Object gang = scheduler::Gang("g", 2);
  const api::Object easy = MemberOfGang("a").Request("cpu", "2").Build();
  const api::Object choosy = MemberOfGang("b").Request("cpu", "2").NodeSelector("disk", "ssd").Build();
  scheduler::World world(config::Default(kTopologyGates), plugins::BuiltIn(), kTopologyGates,
                         std::make_unique<LastChooser>());
  for (const api::Object& object : {other, useful, gang, easy, choosy}) world.Put(object);
  world.ScheduleAll();

  ASSERT_EQ(world.Take<framework::BindPod>().size(), 0u);
  const std::vector<api::Object> objects = {other, useful, gang, easy, choosy};
  EXPECT_EQ(FindWhatFits(world.core(), objects), "");
  EXPECT_EQ(FindWhatFits(MakeGroupWorld().core(), objects),
            "podgroup/default/g waits, although its pod default/a fits on node n1");
}

}  // namespace
}  // namespace berth::sim
