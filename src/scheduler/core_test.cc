// SPDX-License-Identifier: Apache-2.0
#include "scheduler/core.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "cluster/test_builders.h"
#include "plugins/registry.h"
#include "scheduler/test_configuration.h"

namespace berth::scheduler {
namespace {

using cluster::NodeBuilder;
using cluster::PodBuilder;

constexpr Time kStart{1'000'000'000'000'000};

// Drives a core as the world would: objects go in, effects are collected and answered.
class World {
 public:
  explicit World(framework::Registry registry = plugins::BuiltIn(), std::string extra_plugin = "")
      : core_(Core::Create(DefaultConfiguration(extra_plugin), registry, framework::FeatureGates(),
                           std::make_unique<framework::SmallestNameChooser>(), kStart)
                  .value()) {}

  Core& core() { return *core_; }
  Time now() const { return now_; }

  void Put(api::Object object) { Step(PutObject{std::move(object)}); }
  void Remove(std::string kind, std::string ns, std::string name) { Step(RemoveObject{std::move(kind), std::move(ns), std::move(name)}); }
  void ScheduleAll() {
    while (core_->HasWork()) Step(ScheduleNext{});
  }
  void Pass(Duration duration) {
    now_ = now_ + duration;
    Step(PassTime{});
  }
  void Answer(uint64_t id, EffectAnswer::Code code = EffectAnswer::Code::kOk, std::string message = "") {
    Step(EffectAnswer{id, code, std::move(message)});
  }

  // The effects of type E so far, taken out.
  template <class E>
  std::vector<std::pair<uint64_t, E>> Take() {
    std::vector<std::pair<uint64_t, E>> taken;
    std::erase_if(effects_, [&](const IssuedEffect& issued) {
      const auto* effect = std::get_if<E>(&issued.effect);
      if (effect != nullptr) taken.emplace_back(issued.id, *effect);
      return effect != nullptr;
    });
    return taken;
  }

 private:
  template <class What>
  void Step(What what) {
    for (IssuedEffect& effect : core_->Step({now_, std::move(what)})) effects_.push_back(std::move(effect));
  }

  std::unique_ptr<Core> core_;
  Time now_ = kStart;
  std::vector<IssuedEffect> effects_;
};

api::Node Node(std::string name) { return NodeBuilder(std::move(name)).Capacity("4", "8Gi"); }

PodBuilder Pod(std::string name) {
  PodBuilder pod(std::move(name));
  pod.SchedulerName("default-scheduler").Request("cpu", "1").ResourceVersion("1");
  return pod;
}

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
