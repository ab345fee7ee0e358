// SPDX-License-Identifier: Apache-2.0
#include "scheduler/preemptions.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "scheduler/test_core.h"
#include "scheduler/test_hold.h"

namespace berth::scheduler {
namespace {

TEST(Preemptions, PreemptorWaitsUntilItsVictimsAreGone) {
  World world;
  world.Put(Node("n1"));
  world.Put(Pod("low").Node("n1").Request("cpu", "4").Priority(0).Build());
  world.Put(Pod("high").Request("cpu", "2").Priority(100).Build());
  world.ScheduleAll();

  const auto evictions = world.Take<framework::EvictPod>();
  ASSERT_EQ(evictions.size(), 1u);
  EXPECT_EQ(evictions[0].second.victim->name, "low");
  EXPECT_EQ(world.core().cluster().nominated.NodeOf("uid-high"), "n1");
  world.Pass(Seconds(30));
  EXPECT_FALSE(world.core().HasWork()) << "gated while the eviction is outstanding";

  world.Answer(evictions[0].first);
  world.Remove("Pod", "default", "low");
  world.Pass(Seconds(30));
  world.ScheduleAll();
  EXPECT_EQ(world.Take<framework::BindPod>().size(), 1u);
}

TEST(Preemptions, PreemptorStaysOutUntilTheWatchHasSeenItsLastVictimGo) {
  World world;
  world.Put(Node("n1"));
  world.Put(Pod("low-1").Node("n1").Request("cpu", "2").Priority(0).Build());
  world.Put(Pod("low-2").Node("n1").Request("cpu", "2").Priority(0).Build());
  world.Put(Pod("high").Request("cpu", "4").Priority(100).Build());
  world.ScheduleAll();
  std::vector<std::string> victims;
  for (int round = 0; round < 2; ++round) {
    const auto evictions = world.Take<framework::EvictPod>();
    ASSERT_EQ(evictions.size(), 1u);
    victims.push_back(evictions[0].second.victim->name);
    world.Answer(evictions[0].first);
  }

  world.Remove("Pod", "default", victims[0]);
  world.Pass(Seconds(30));
  EXPECT_FALSE(world.core().HasWork()) << "both evictions were answered, but only one victim was seen to go";

  world.Remove("Pod", "default", victims[1]);
  world.Pass(Seconds(30));
  world.ScheduleAll();
  EXPECT_EQ(world.Take<framework::BindPod>().size(), 1u);
}

TEST(Preemptions, VictimWhoseNameHasAnotherPodIsSeenToHaveGone) {
  World world;
  world.Put(Node("n1"));
  world.Put(Pod("low").Node("n1").Request("cpu", "4").Priority(0).Build());
  world.Put(Pod("high").Request("cpu", "4").Priority(100).Build());
  world.ScheduleAll();
  world.Answer(world.Take<framework::EvictPod>().at(0).first);

  api::Pod anew = Pod("low").Request("cpu", "4").Priority(0).Build();  // The watch has missed what was in between.
  anew.meta.uid = "uid-anew";
  world.Put(anew);
  world.Pass(Seconds(30));
  world.ScheduleAll();
  const auto binds = world.Take<framework::BindPod>();
  ASSERT_EQ(binds.size(), 1u);
  EXPECT_EQ(binds[0].second.pod->name, "high");
}

TEST(Preemptions, VictimThatHasEndedIsSeenToHaveGone) {
  World world;
  world.Put(Node("n1"));
  world.Put(Pod("low").Node("n1").Request("cpu", "4").Priority(0).Build());
  world.Put(Pod("high").Request("cpu", "4").Priority(100).Build());
  world.ScheduleAll();
  world.Answer(world.Take<framework::EvictPod>().at(0).first);

  api::Pod ended = Pod("low").Node("n1").Request("cpu", "4").Priority(0).Build();
  ended.status.phase = "Succeeded";
  world.Put(ended);
  world.Pass(Seconds(30));
  world.ScheduleAll();
  EXPECT_EQ(world.Take<framework::BindPod>().size(), 1u);
}

TEST(Preemptions, VictimThatWasGoneAlreadyIsNotReportedAsPreempted) {
  for (const bool was_gone : {false, true}) {
    World world;
    world.Put(Node("n1"));
    world.Put(Pod("low").Node("n1").Request("cpu", "4").Priority(0).Build());
    world.Put(Pod("high").Request("cpu", "2").Priority(100).Build());
    world.ScheduleAll();
    const auto evictions = world.Take<framework::EvictPod>();
    ASSERT_EQ(evictions.size(), 1u);
    world.Take<framework::RecordEvent>();

    world.Answer(evictions[0].first, EffectAnswer::Code::kOk, was_gone ? "pods \"low\" not found" : "");

    EXPECT_EQ(world.Take<framework::RecordEvent>().size(), was_gone ? 0u : 1u);
  }
}

TEST(Preemptions, EventIsReportedByTheProfileOfThePreemptor) {
  World world;
  world.Put(Node("n1"));
  world.Put(Pod("low").SchedulerName("another").Request("cpu", "4").Priority(0).Node("n1").Build());
  world.Put(Pod("high").Request("cpu", "4").Priority(100).Build());
  world.ScheduleAll();
  const auto evictions = world.Take<framework::EvictPod>();
  ASSERT_EQ(evictions.size(), 1u);
  world.Take<framework::RecordEvent>();

  world.Answer(evictions[0].first);

  const auto events = world.Take<framework::RecordEvent>();
  ASSERT_EQ(events.size(), 1u);
  EXPECT_EQ(events[0].second.pod->name, "low");
  EXPECT_EQ(events[0].second.reporter, "default-scheduler");
}

TEST(Preemptions, VictimThatStillWaitsIsStoppedInMemory) {
  World world(WithHold(), "Hold");
  world.Put(Node("n1"));
  world.Put(Pod("low").Request("cpu", "4").Priority(0).Build());
  world.ScheduleAll();
  world.Put(Pod("high").Request("cpu", "2").Priority(100).Build());
  world.ScheduleAll();

  EXPECT_TRUE(world.Take<framework::EvictPod>().empty());
  const auto events = world.Take<framework::RecordEvent>();
  EXPECT_TRUE(std::ranges::any_of(events, [](const auto& event) {
    return event.second.note == "Preempted by pod uid-high on node n1 (in kube-scheduler memory).";
  }));
  world.Pass(Seconds(3));
  world.ScheduleAll();
  const auto binds = world.Take<framework::BindPod>();
  ASSERT_EQ(binds.size(), 1u);
  EXPECT_EQ(binds[0].second.pod->name, "high");
}

TEST(Preemptions, VictimWhoseVolumesAreBeingBoundIsStoppedInMemory) {
  World world;
  api::StorageClass storage_class;
  storage_class.meta.name = "late";
  storage_class.provisioner = "example.com/disk";
  storage_class.volume_binding_mode = "WaitForFirstConsumer";
  world.Put(storage_class);
  api::PersistentVolumeClaim claim;
  claim.meta.ns = "default";
  claim.meta.name = "c";
  claim.meta.uid = "uid-c";
  claim.meta.resource_version = "1";
  claim.storage_class_name = "late";
  world.Put(claim);
  world.Put(Node("n1"));
  world.Put(Pod("low").Request("cpu", "4").Priority(0).Claim("c").Build());
  world.ScheduleAll();
  const auto updates = world.Take<framework::UpdatePersistentVolumeClaim>();
  ASSERT_EQ(updates.size(), 1u);
  ASSERT_TRUE(world.core().bindings().Has("uid-low"));

  world.Put(Pod("high").Request("cpu", "2").Priority(100).Build());
  world.ScheduleAll();

  EXPECT_TRUE(world.Take<framework::EvictPod>().empty());
  EXPECT_FALSE(world.core().bindings().Has("uid-low"));
  EXPECT_FALSE(world.core().cluster().IsAssumed("uid-low"));
  world.Answer(updates[0].first);  // Comes too late to matter.
  world.Pass(Seconds(3));
  world.ScheduleAll();
  const auto binds = world.Take<framework::BindPod>();
  ASSERT_EQ(binds.size(), 1u);
  EXPECT_EQ(binds[0].second.pod->name, "high");
}

TEST(Preemptions, PreemptorIsWokenWhenTheBindingOfItsVictimFails) {
  World world;
  world.Put(Node("n1"));
  world.Put(Pod("low").Request("cpu", "4").Priority(0).Build());
  world.ScheduleAll();
  const auto binds = world.Take<framework::BindPod>();
  ASSERT_EQ(binds.size(), 1u);
  world.Put(Pod("high").Request("cpu", "4").Priority(100).Build());
  world.ScheduleAll();
  const auto evictions = world.Take<framework::EvictPod>();
  ASSERT_EQ(evictions.size(), 1u);

  world.Answer(binds[0].first, EffectAnswer::Code::kFailed, "conflict");
  world.Answer(evictions[0].first);
  world.ScheduleAll();

  const auto next = world.Take<framework::BindPod>();
  ASSERT_EQ(next.size(), 1u);
  EXPECT_EQ(next[0].second.pod->name, "high");
}

}  // namespace
}  // namespace berth::scheduler
