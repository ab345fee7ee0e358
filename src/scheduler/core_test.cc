// SPDX-License-Identifier: Apache-2.0
#include "scheduler/core.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "scheduler/test_core.h"

namespace berth::scheduler {
namespace {

using cluster::NodeBuilder;

TEST(Core, PodIsAssumedBoundAndReported) {
  World world;
  world.Put(Node("n1"));
  world.Put(Pod("a").Build());

  world.ScheduleAll();
  const auto binds = world.Take<framework::BindPod>();
  ASSERT_EQ(binds.size(), 1u);
  EXPECT_EQ(binds[0].second.node_name, "n1");
  EXPECT_TRUE(world.core().cluster().IsAssumed("uid-a"));
  EXPECT_TRUE(world.Take<framework::RecordEvent>().empty());
  world.Answer(binds[0].first);

  const auto events = world.Take<framework::RecordEvent>();
  ASSERT_EQ(events.size(), 1u);
  EXPECT_EQ(events[0].second.note, "Successfully assigned default/a to n1");
  world.Put(Pod("a").Node("n1").ResourceVersion("2").Build());
  EXPECT_FALSE(world.core().cluster().IsAssumed("uid-a"));
  EXPECT_EQ(world.core().bindings().size(), 0u);
}

TEST(Core, PodThatDoesNotFitIsReportedAndRetriedWhenANodeComes) {
  World world;
  world.Put(NodeBuilder("small").Capacity("500m", "1Gi").Build());
  world.Put(Pod("a").Build());
  world.ScheduleAll();

  const auto events = world.Take<framework::RecordEvent>();
  ASSERT_EQ(events.size(), 1u);
  EXPECT_EQ(events[0].second.reason, "FailedScheduling");
  const auto patches = world.Take<framework::PatchPodStatus>();
  ASSERT_EQ(patches.size(), 1u);
  EXPECT_EQ(patches[0].second.condition->reason, "Unschedulable");
  EXPECT_EQ(patches[0].second.condition->message, events[0].second.note);

  world.Put(Node("n1"));
  world.ScheduleAll();
  EXPECT_EQ(world.Take<framework::BindPod>().size(), 1u);
}

TEST(Core, FailedBindingGivesTheNodeBackAndBacksOff) {
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

TEST(Core, BindingWithoutAnAnswerIsReadBackBeforeAnythingIsDecided) {
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

TEST(Core, ReadThatFailsSaysNothingAboutTheBinding) {
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

TEST(Core, BindingThatTurnsOutNotToHaveHappenedIsReportedWithItsError) {
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

TEST(Core, PodThatSomebodyElseHasBoundElsewhereIsNotReportedAsScheduled) {
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

TEST(Core, DeletedPodThatWasAssumedFreesItsNode) {
  World world;
  world.Put(Node("n1"));
  world.Put(Pod("a").Build());
  world.ScheduleAll();
  const auto binds = world.Take<framework::BindPod>();

  world.Remove("Pod", "default", "a");
  world.Answer(binds[0].first, EffectAnswer::Code::kFailed, "pods \"a\" not found");

  EXPECT_EQ(world.core().cluster().pod_count(), 0u);
  EXPECT_FALSE(world.core().HasWork());
  EXPECT_EQ(world.core().bindings().size(), 0u);
}

TEST(Core, PreemptorWaitsUntilItsVictimsAreGone) {
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

TEST(Core, PreemptorStaysOutUntilTheWatchHasSeenItsLastVictimGo) {
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

TEST(Core, VictimThatWasGoneAlreadyIsNotReportedAsPreempted) {
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

// Makes every pod of priority below 50 wait for 10 seconds, and turns down pods labelled forbidden.
class Hold final : public framework::Plugin, public framework::PermitPlugin {
 public:
  std::string_view name() const override { return "Hold"; }
  framework::PermitResult Permit(framework::Cycle& cycle, framework::NodeSlot) const override {
    if (cycle.pod().labels().Has("forbidden")) return {framework::Status::Unschedulable("not today"), {}};
    if (cycle.pod().priority() >= 50) return {framework::Status::Success(), {}};
    return {{framework::StatusCode::kWait, {}, {}}, Seconds(10)};
  }
};

framework::Registry WithHold() {
  framework::Registry registry = plugins::BuiltIn();
  EXPECT_TRUE(registry.Add("Hold", [](const framework::PluginContext&) -> Result<std::unique_ptr<framework::Plugin>> {
    return std::make_unique<Hold>();
  }));
  return registry;
}

TEST(Core, PodThatPermitTurnsDownIsReportedAsOneNodeThatDoesNotFit) {
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

TEST(Core, WaitingPodHoldsItsNodeUntilItsTimeIsUp) {
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

TEST(Core, VictimThatStillWaitsIsStoppedInMemory) {
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

TEST(Core, PodCreatedAnewWhileTheWatchWasBrokenIsAnotherPod) {
  struct Case {
    const char* what;
    const char* old_node;
  };
  for (const Case& c : {Case{"the old pod is pending", ""}, Case{"the old pod is on a node", "n1"}}) {
    SCOPED_TRACE(c.what);
    World world;
    world.Put(Pod("a").Node(c.old_node).Uid("old").Request("cpu", "3").Build());

    world.Put(Pod("a").Uid("new").Request("cpu", "3").ResourceVersion("2").Build());
    EXPECT_EQ(world.core().cluster().FindPod("old"), nullptr);
    world.Put(Node("n1"));
    world.ScheduleAll();

    const auto binds = world.Take<framework::BindPod>();
    ASSERT_EQ(binds.size(), 1u);
    EXPECT_EQ(binds[0].second.pod->uid, "new");
  }
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

TEST(Core, AnswerToAPreBindEffectIsNotTakenForThatOfTheBinding) {
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

TEST(Core, PreBindEffectWithoutAnAnswerIsTriedAgain) {
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

TEST(Core, RefusedPreBindEffectNamesThePluginThatAskedForIt) {
  World world;
  const auto [update, claim] = StartProvisioning(world);

  world.Answer(update, EffectAnswer::Code::kFailed, "the object has been modified");

  EXPECT_EQ(Note(world), "running PreBind plugin \"VolumeBinding\": the object has been modified");
  EXPECT_FALSE(world.core().cluster().IsAssumed("uid-a"));
}

TEST(Core, BindingOfVolumesEndsWhenThePodVanishes) {
  World world;
  const auto [update, claim] = StartProvisioning(world);
  world.Answer(update);
  world.Remove("Pod", "default", "a");

  world.Pass(Seconds(1));

  EXPECT_EQ(Note(world),
            "running PreBind plugin \"VolumeBinding\": binding volumes: pod does not exist any more: pod \"a\" not found");
  EXPECT_EQ(world.core().bindings().size(), 0u);
  EXPECT_FALSE(world.core().HasWork());
}

TEST(Core, BindingOfVolumesEndsWhenTheNodeVanishes) {
  World world;
  const auto [update, claim] = StartProvisioning(world);
  world.Answer(update);
  world.Remove("Node", "", "n1");

  world.Pass(Seconds(1));

  EXPECT_EQ(Note(world),
            "running PreBind plugin \"VolumeBinding\": binding volumes: failed to get node \"n1\": node \"n1\" not found");
}

TEST(Core, BindingOfVolumesEndsWhenItsTimeIsUp) {
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

TEST(Core, BindingGoesToTheNodeThatWasChosenAlthoughItsRowWasGivenAway) {
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

TEST(Core, PodIsWhereTheWatchSaysEvenIfThatContradictsWhatWasKnown) {
  World world;
  world.Put(Node("n1"));
  world.Put(Node("n2"));
  world.Put(Pod("a").Node("n1").Build());

  world.Put(Pod("a").Node("n2").ResourceVersion("2").Build());

  EXPECT_EQ(world.core().cluster().FindPod("uid-a")->node_name, "n2");
  world.Remove("Pod", "default", "a");
  EXPECT_EQ(world.core().cluster().pod_count(), 0u);
}

TEST(Core, UnschedulablePodsAreTriedAgainAfterTheConfiguredTime) {
  framework::SchedulerConfiguration configuration = DefaultConfiguration();
  configuration.pod_max_in_unschedulable = Seconds(60);
  World world(configuration);
  world.Put(NodeBuilder("small").Capacity("500m", "1Gi").Build());
  world.Put(Pod("a").Build());
  world.ScheduleAll();

  world.Pass(Seconds(59));
  EXPECT_FALSE(world.core().HasWork());
  world.Pass(Seconds(31));
  EXPECT_TRUE(world.core().HasWork());
}

TEST(Core, PreemptorIsWokenWhenTheBindingOfItsVictimFails) {
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

TEST(Core, SameInputsGiveTheSameEffects) {
  const auto run = [] {
    World world;
    std::string log;
    for (int i = 0; i < 5; ++i) world.Put(Node("n" + std::to_string(i)));
    for (int i = 0; i < 30; ++i) world.Put(Pod("p" + std::to_string(i)).Priority(i % 3).Build());
    world.ScheduleAll();
    for (const auto& [id, bind] : world.Take<framework::BindPod>()) log += std::to_string(id) + bind.pod->name + bind.node_name;
    for (const auto& [id, event] : world.Take<framework::RecordEvent>()) log += std::to_string(id) + event.note;
    return log;
  };

  EXPECT_EQ(run(), run());
}

}  // namespace
}  // namespace berth::scheduler
