// SPDX-License-Identifier: Apache-2.0
#include "scheduler/binding_cycles.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "scheduler/test_core.h"
#include "scheduler/test_hold.h"

namespace berth::scheduler {
namespace {

TEST(BindingCycles, FailedBindingGivesTheNodeBackAndBacksOff) {
  World world;
  world.Put(Node("n1"));
  world.Put(Pod("a").Build());
  world.ScheduleAll();
  const auto binds = world.Take<framework::BindPod>();
  ASSERT_EQ(binds.size(), 1u);

  world.Answer(binds[0].first, EffectAnswer::Code::kFailed, "conflict");

  EXPECT_FALSE(world.core().cluster().IsAssumed("uid-a"));
  const auto patches = world.Take<framework::PatchPodStatus>();
  ASSERT_EQ(patches.size(), 1u);
  EXPECT_EQ(patches[0].second.condition->reason, "SchedulerError");
  EXPECT_EQ(patches[0].second.condition->message, "running Bind plugin \"DefaultBinder\": conflict");
  EXPECT_FALSE(world.core().HasWork());
  world.Pass(Seconds(3));
  world.ScheduleAll();
  EXPECT_EQ(world.Take<framework::BindPod>().size(), 1u);
}

TEST(BindingCycles, BindingWithoutAnAnswerIsReadBackBeforeAnythingIsDecided) {
  for (const bool was_bound : {true, false}) {
    SCOPED_TRACE(was_bound);
    World world;
    world.Put(Node("n1"));
    world.Put(Pod("a").Build());
    world.ScheduleAll();
    const auto binds = world.Take<framework::BindPod>();
    ASSERT_EQ(binds.size(), 1u);

    world.Answer(binds[0].first, EffectAnswer::Code::kUnknown);
    EXPECT_TRUE(world.core().cluster().FindPod("uid-a") != nullptr) << "never double-book";
    const auto reads = world.Take<framework::ReadPod>();
    ASSERT_EQ(reads.size(), 1u);
    if (was_bound) world.Put(Pod("a").Node("n1").ResourceVersion("2").Build());
    world.Answer(reads[0].first);

    EXPECT_EQ(world.core().bindings().size(), 0u);
    EXPECT_EQ(world.core().cluster().FindPod("uid-a") != nullptr, was_bound);
  }
}

TEST(BindingCycles, ReadThatFailsSaysNothingAboutTheBinding) {
  World world;
  world.Put(Node("n1"));
  world.Put(Pod("a").Build());
  world.ScheduleAll();
  const auto binds = world.Take<framework::BindPod>();
  ASSERT_EQ(binds.size(), 1u);
  world.Answer(binds[0].first, EffectAnswer::Code::kUnknown);
  const auto reads = world.Take<framework::ReadPod>();
  ASSERT_EQ(reads.size(), 1u);

  world.Answer(reads[0].first, EffectAnswer::Code::kFailed, "too many requests");

  EXPECT_TRUE(world.core().cluster().IsAssumed("uid-a"));
  EXPECT_EQ(world.Take<framework::ReadPod>().size(), 1u);
}

TEST(BindingCycles, BindingThatTurnsOutNotToHaveHappenedIsReportedWithItsError) {
  World world;
  world.Put(Node("n1"));
  world.Put(Pod("a").Build());
  world.ScheduleAll();

  world.Answer(world.Take<framework::BindPod>()[0].first, EffectAnswer::Code::kUnknown, "etcd went away");
  world.Take<framework::RecordEvent>();
  world.Answer(world.Take<framework::ReadPod>()[0].first);

  const auto events = world.Take<framework::RecordEvent>();
  ASSERT_EQ(events.size(), 1u);
  EXPECT_EQ(events[0].second.note, "running Bind plugin \"DefaultBinder\": etcd went away");
}

TEST(BindingCycles, PodThatSomebodyElseHasBoundElsewhereIsNotReportedAsScheduled) {
  World world;
  world.Put(Node("n1"));
  world.Put(Pod("a").Build());
  world.ScheduleAll();

  world.Answer(world.Take<framework::BindPod>()[0].first, EffectAnswer::Code::kUnknown, "conflict");
  const auto reads = world.Take<framework::ReadPod>();
  world.Put(Node("n2"));
  world.Put(Pod("a").Node("n2").ResourceVersion("2").Build());
  world.Take<framework::RecordEvent>();
  world.Answer(reads[0].first);

  for (const auto& [id, event] : world.Take<framework::RecordEvent>()) EXPECT_NE(event.reason, "Scheduled");
  EXPECT_EQ(world.core().bindings().size(), 0u);
  EXPECT_FALSE(world.core().HasWork());
  EXPECT_EQ(world.core().cluster().FindPod("uid-a")->node_name, "n2");
}

TEST(BindingCycles, PodThatPermitTurnsDownIsReportedAsOneNodeThatDoesNotFit) {
  World world(WithHold(), "Hold");
  world.Put(Node("n1"));
  world.Put(Pod("a").Label("forbidden", "").Build());
  world.ScheduleAll();

  const auto patches = world.Take<framework::PatchPodStatus>();
  ASSERT_EQ(patches.size(), 1u);
  EXPECT_EQ(patches[0].second.condition->message, "0/1 nodes are available: 1 not today.");
  EXPECT_FALSE(world.core().cluster().IsAssumed("uid-a"));
  EXPECT_EQ(world.core().queue().unschedulable().size(), 1u);
}

TEST(BindingCycles, WaitingPodHoldsItsNodeUntilItsTimeIsUp) {
  World world(WithHold(), "Hold");
  world.Put(Node("n1"));
  world.Put(Pod("a").Build());
  world.ScheduleAll();
  EXPECT_TRUE(world.Take<framework::BindPod>().empty());
  EXPECT_TRUE(world.core().cluster().IsAssumed("uid-a"));
  EXPECT_EQ(world.Take<framework::NominatePod>().size(), 1u) << "others learn early where it goes";

  world.Pass(Seconds(10));

  EXPECT_FALSE(world.core().cluster().IsAssumed("uid-a"));
  const auto patches = world.Take<framework::PatchPodStatus>();
  ASSERT_EQ(patches.size(), 1u);
  EXPECT_EQ(patches[0].second.condition->message,
            "0/1 nodes are available: 1 rejected due to timeout after waiting 10s at plugin Hold.");
}

api::PersistentVolumeClaim LateClaim() {
  api::PersistentVolumeClaim claim;
  claim.meta.ns = "default";
  claim.meta.name = "c";
  claim.meta.uid = "uid-c";
  claim.meta.resource_version = "1";
  claim.storage_class_name = "late";
  return claim;
}

// A world in which pod "a" waits for its claim; returns the update that was asked for.
std::pair<uint64_t, api::PersistentVolumeClaim> StartProvisioning(World& world) {
  api::StorageClass storage_class;
  storage_class.meta.name = "late";
  storage_class.provisioner = "example.com/disk";
  storage_class.volume_binding_mode = "WaitForFirstConsumer";
  world.Put(Node("n1"));
  world.Put(storage_class);
  world.Put(LateClaim());
  world.Put(Pod("a").Claim("c").Build());
  world.ScheduleAll();
  const auto updates = world.Take<framework::UpdatePersistentVolumeClaim>();
  return updates.empty() ? std::pair(uint64_t{0}, LateClaim()) : std::pair(updates[0].first, updates[0].second.claim);
}

TEST(BindingCycles, AnswerToAPreBindEffectIsNotTakenForThatOfTheBinding) {
  World world;
  auto [update, claim] = StartProvisioning(world);
  ASSERT_NE(update, 0u);
  api::PersistentVolume volume;
  volume.meta.name = claim.volume_name = "v";
  world.Put(volume);
  claim.meta.resource_version = "2";
  claim.meta.annotations.Set("pv.kubernetes.io/bind-completed", "yes");
  world.Put(claim);
  world.Pass(Seconds(1));
  const auto binds = world.Take<framework::BindPod>();
  ASSERT_EQ(binds.size(), 1u);

  world.Answer(update, EffectAnswer::Code::kFailed, "late");

  EXPECT_TRUE(world.core().bindings().Has("uid-a"));
  EXPECT_TRUE(world.core().cluster().IsAssumed("uid-a"));
  world.Answer(binds[0].first);
  EXPECT_EQ(world.core().bindings().size(), 0u);
}

TEST(BindingCycles, PreBindEffectWithoutAnAnswerIsTriedAgain) {
  World world;
  const auto [update, claim] = StartProvisioning(world);
  ASSERT_NE(update, 0u);

  world.Answer(update, EffectAnswer::Code::kUnknown);

  EXPECT_EQ(world.core().bindings().size(), 0u);
  EXPECT_FALSE(world.core().cluster().IsAssumed("uid-a"));
  world.Pass(Seconds(3));
  world.ScheduleAll();
  EXPECT_EQ(world.Take<framework::UpdatePersistentVolumeClaim>().size(), 1u);
}

// The note of the only event.
std::string Note(World& world) {
  const auto events = world.Take<framework::RecordEvent>();
  return events.size() == 1 ? events[0].second.note : fmt::format("{} events", events.size());
}

TEST(BindingCycles, RefusedPreBindEffectNamesThePluginThatAskedForIt) {
  World world;
  const auto [update, claim] = StartProvisioning(world);

  world.Answer(update, EffectAnswer::Code::kFailed, "the object has been modified");

  EXPECT_EQ(Note(world), "running PreBind plugin \"VolumeBinding\": the object has been modified");
  EXPECT_FALSE(world.core().cluster().IsAssumed("uid-a"));
}

TEST(BindingCycles, BindingOfVolumesEndsWhenThePodVanishes) {
  World world;
  const auto [update, claim] = StartProvisioning(world);
  world.Answer(update);
  world.Remove("Pod", "default", "a");

  world.Pass(Seconds(1));

  EXPECT_EQ(
      Note(world),
      "running PreBind plugin \"VolumeBinding\": binding volumes: pod does not exist any more: pod \"a\" not found");
  EXPECT_EQ(world.core().bindings().size(), 0u);
  EXPECT_FALSE(world.core().HasWork());
}

TEST(BindingCycles, BindingOfVolumesEndsWhenTheNodeVanishes) {
  World world;
  const auto [update, claim] = StartProvisioning(world);
  world.Answer(update);
  world.Remove("Node", "", "n1");

  world.Pass(Seconds(1));

  EXPECT_EQ(
      Note(world),
      "running PreBind plugin \"VolumeBinding\": binding volumes: failed to get node \"n1\": node \"n1\" not found");
}

TEST(BindingCycles, BindingOfVolumesEndsWhenItsTimeIsUp) {
  World world;
  auto [update, claim] = StartProvisioning(world);
  world.Answer(update);
  claim.meta.resource_version = "2";
  world.Put(claim);

  world.Pass(Seconds(599));
  EXPECT_EQ(world.core().bindings().size(), 1u);
  world.Pass(Seconds(1));

  EXPECT_EQ(Note(world), "running PreBind plugin \"VolumeBinding\": binding volumes: context deadline exceeded");
}

TEST(BindingCycles, BindingGoesToTheNodeThatWasChosenAlthoughItsRowWasGivenAway) {
  World world;
  auto [update, claim] = StartProvisioning(world);
  world.Answer(update);
  // A pod that is being deleted holds no row any more.
  world.Put(Pod("a").Claim("c").Terminating(world.now()).ResourceVersion("2").Build());
  world.Remove("Node", "", "n1");
  world.Put(Node("other"));
  world.Put(Node("n1"));
  api::PersistentVolume volume;
  volume.meta.name = claim.volume_name = "v";
  world.Put(volume);
  claim.meta.resource_version = "2";
  claim.meta.annotations.Set("pv.kubernetes.io/bind-completed", "yes");
  world.Put(claim);

  world.Pass(Seconds(1));

  const auto binds = world.Take<framework::BindPod>();
  ASSERT_EQ(binds.size(), 1u);
  EXPECT_EQ(binds[0].second.node_name, "n1");
}

}  // namespace
}  // namespace berth::scheduler
