// SPDX-License-Identifier: Apache-2.0
// Pods that wait at Permit for the others of their group (plugin Coscheduling).

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "cluster/devices/test_devices.h"
#include "plugins/coscheduling/coscheduling.h"
#include "scheduler/test_core.h"

namespace berth::scheduler {
namespace {

framework::SchedulerConfiguration WithCoscheduling(plugins::Coscheduling::Args args = {},
                                                   const std::string& first_plugin = "") {
  framework::SchedulerConfiguration configuration = DefaultConfiguration("Coscheduling");
  framework::ProfileConfiguration& profile = configuration.profiles[0];
  if (!first_plugin.empty()) {
    profile.plugins.multi_point.enabled.insert(profile.plugins.multi_point.enabled.begin(), {first_plugin});
  }
  profile.plugins[framework::ExtensionPoint::kQueueSort] = {.enabled = {{"Coscheduling"}}, .disabled = {{"*"}}};
  profile.plugin_config.push_back({"Coscheduling", framework::PluginArgs(args)});
  return configuration;
}

api::CoscheduledGroup CoscheduledGroupOf(int32_t min_member, std::string name = "g") {
  api::CoscheduledGroup group;
  group.meta.ns = "default";
  group.meta.name = std::move(name);
  group.meta.creation_timestamp = kStart;
  group.min_member = min_member;
  return group;
}

// Two of them fit on a node.
cluster::PodBuilder Coscheduled(std::string name, std::string group = "g") {
  cluster::PodBuilder pod = Pod(std::move(name));
  return pod.Request("cpu", "2").Label("scheduling.x-k8s.io/pod-group", std::move(group));
}

std::vector<std::string> Bound(World& world) {
  std::vector<std::string> names;
  for (const auto& [id, bind] : world.Take<framework::BindPod>()) names.push_back(bind.pod->name);
  std::ranges::sort(names);
  return names;
}

std::vector<std::string> Notes(World& world) {
  std::vector<std::string> notes;
  for (const auto& [id, event] : world.Take<framework::RecordEvent>())
    notes.push_back(event.pod->name + ": " + event.note);
  std::ranges::sort(notes);
  return notes;
}

using Names = std::vector<std::string>;

TEST(Coscheduling, PodsAreBoundWhenAllOfThemHaveANode) {
  World world(WithCoscheduling());
  world.Put(Node("n1"));
  world.Put(CoscheduledGroupOf(3));
  world.Put(Coscheduled("a").Build());
  world.Put(Coscheduled("b").Build());
  world.ScheduleAll();
  EXPECT_EQ(world.core().cluster().assumed_count(), 0u) << "the group is not complete";

  world.Put(Node("n2"));
  world.Put(Coscheduled("c").Build());
  world.ScheduleAll();

  EXPECT_EQ(Bound(world), (Names{"a", "b", "c"})) << "the last one has called the others";
}

TEST(Coscheduling, PodThatDoesNotFitEndsTheWaitOfTheOthers) {
  World world(WithCoscheduling());
  world.Put(Node("n1"));
  world.Put(CoscheduledGroupOf(3));
  for (const char* name : {"a", "b", "c"}) world.Put(Coscheduled(name).Build());

  world.ScheduleAll();

  EXPECT_TRUE(Bound(world).empty());
  EXPECT_EQ(world.core().cluster().assumed_count(), 0u);
  EXPECT_EQ(world.core().bindings().size(), 0u);
  EXPECT_EQ(
      Notes(world),
      (Names{"a: 0/1 nodes are available: 1 optimistic rejection in PostFilter.",
             "b: 0/1 nodes are available: 1 optimistic rejection in PostFilter.",
             "c: 0/1 nodes are available: 1 Insufficient cpu. preemption: 0/1 nodes are available: 1 No preemption "
             "victims found for incoming pod., PodGroup default/g gets rejected due to Pod c is unschedulable even "
             "after PostFilter"}));

  world.Put(Node("n2"));
  for (int i = 0; i < 5; ++i) {
    world.Pass(Seconds(10));
    world.ScheduleAll();
  }
  EXPECT_EQ(Bound(world), (Names{"a", "b", "c"}));
}

TEST(Coscheduling, WaitThatLastsTooLongIsEndedForAll) {
  World world(WithCoscheduling({.pod_group_reject_percentage = 100}));
  world.Put(Node("n1"));
  api::CoscheduledGroup group = CoscheduledGroupOf(3);
  group.schedule_timeout_seconds = 20;
  world.Put(group);
  for (const char* name : {"a", "b", "c"}) world.Put(Coscheduled(name).Build());
  world.ScheduleAll();
  EXPECT_EQ(world.core().cluster().assumed_count(), 2u) << "two wait for the third";
  Notes(world);

  world.Pass(Seconds(19));
  EXPECT_EQ(world.core().cluster().assumed_count(), 2u);
  world.Pass(Seconds(1));

  EXPECT_EQ(world.core().cluster().assumed_count(), 0u);
  EXPECT_EQ(world.core().bindings().size(), 0u);
  EXPECT_TRUE(Bound(world).empty());
  EXPECT_EQ(Notes(world),
            (Names{"a: 0/1 nodes are available: 1 rejected due to timeout after waiting 20s at plugin Coscheduling.",
                   "b: 0/1 nodes are available: 1 rejected due to timeout after waiting 20s at plugin Coscheduling."}));
}

TEST(Coscheduling, PodThatVanishesWhileItWaitsTakesTheOthersBack) {
  World world(WithCoscheduling({.permit_waiting_time_seconds = 30, .pod_group_reject_percentage = 100}));
  world.Put(Node("n1"));
  world.Put(CoscheduledGroupOf(3));
  for (const char* name : {"a", "b", "c"}) world.Put(Coscheduled(name).Build());
  world.ScheduleAll();
  ASSERT_EQ(world.core().cluster().assumed_count(), 2u);

  world.Remove("Pod", "default", "a");

  EXPECT_EQ(world.core().cluster().assumed_count(), 0u);
  EXPECT_EQ(world.core().bindings().size(), 0u) << "in the same step";
}

TEST(Coscheduling, PodWithoutItsGroupIsNotBoundAndOthersAreLeftAlone) {
  World world(WithCoscheduling());
  world.Put(Node("n1"));
  world.Put(Coscheduled("a").Build());
  world.Put(Pod("alone").Build());
  world.ScheduleAll();
  EXPECT_EQ(Bound(world), Names{"alone"});
  EXPECT_EQ(Notes(world), Names{"a: 0/1 nodes are available: 1 PodGroup not found."});

  world.Put(CoscheduledGroupOf(1));
  world.Pass(Seconds(10));
  world.ScheduleAll();

  EXPECT_EQ(Bound(world), Names{"a"});
}

TEST(Coscheduling, GroupThatFailedBacksOffAndLetsOthersGoFirst) {
  World world(WithCoscheduling({.pod_group_backoff_seconds = 60}));
  world.Put(Node("n1"));
  world.Put(CoscheduledGroupOf(3));
  for (const char* name : {"a", "b", "c"}) world.Put(Coscheduled(name).Build());
  world.ScheduleAll();
  Notes(world);
  world.Put(Node("n2"));
  world.Pass(Seconds(30));
  world.ScheduleAll();
  EXPECT_TRUE(Bound(world).empty());
  const Names notes = Notes(world);
  ASSERT_FALSE(notes.empty());
  EXPECT_TRUE(notes[0].contains("podGroup default/g failed recently")) << notes[0];

  for (int i = 0; i < 12; ++i) {
    world.Pass(Seconds(30));
    world.ScheduleAll();
  }
  EXPECT_EQ(Bound(world), (Names{"a", "b", "c"}));
}

TEST(Coscheduling, TwoGroupsThatCompeteDoNotBlockEachOther) {
  World world(WithCoscheduling());
  world.Put(Node("n1"));
  world.Put(CoscheduledGroupOf(2, "g"));
  world.Put(CoscheduledGroupOf(2, "h"));
  world.Put(Coscheduled("g1", "g").Build());
  world.Put(Coscheduled("h1", "h").Build());
  world.Put(Coscheduled("g2", "g").Build());
  world.Put(Coscheduled("h2", "h").Build());
  world.ScheduleAll();
  const Names first = Bound(world);
  ASSERT_EQ(first.size(), 2u);
  EXPECT_EQ(first[0][0], first[1][0]) << "the pods of one group";
  EXPECT_EQ(world.core().cluster().assumed_count(), 2u) << "and nothing is held for the other";

  world.Put(Node("n2"));
  for (int i = 0; i < 5; ++i) {
    world.Pass(Seconds(10));
    world.ScheduleAll();
  }
  EXPECT_EQ(Bound(world).size(), 2u);
}

// Tells in which order pods are given back, between others in a profile.
class Marker : public framework::Plugin, public framework::ReservePlugin {
 public:
  static inline std::vector<std::string> log;
  framework::Status Reserve(framework::Cycle& cycle, framework::NodeSlot) const override {
    log.push_back(std::string(name()) + "+" + cycle.pod().name);
    return framework::Status::Success();
  }
  void Unreserve(framework::Cycle& cycle, framework::NodeSlot, framework::Effects&) const override {
    log.push_back(std::string(name()) + "-" + cycle.pod().name);
  }
};
class First final : public Marker {
 public:
  static constexpr std::string_view kName = "First";
  std::string_view name() const override { return kName; }
};
class Last final : public Marker {
 public:
  static constexpr std::string_view kName = "Last";
  std::string_view name() const override { return kName; }
};

TEST(Coscheduling, EverythingIsGivenBackInTheOppositeOrder) {
  framework::Registry registry = plugins::BuiltIn();
  ASSERT_TRUE(registry.Add<First>() && registry.Add<Last>());
  framework::SchedulerConfiguration configuration =
      WithCoscheduling({.permit_waiting_time_seconds = 10, .pod_group_reject_percentage = 100}, "First");
  configuration.profiles[0].plugins.multi_point.enabled.push_back({"Last"});
  World world(configuration, registry);
  world.Put(Node("n1"));
  world.Put(cluster::TestClass());
  world.Put(cluster::TestSlice("s", "pool", "n1", cluster::TestDevices(1)));
  world.Put(cluster::TestClaim("c", {cluster::TestRequest("req")}));
  api::StorageClass storage;
  storage.meta.name = "wait";
  storage.provisioner = "example.com/disks";
  storage.volume_binding_mode = "WaitForFirstConsumer";
  world.Put(storage);
  api::PersistentVolumeClaim disk;
  disk.meta.ns = "default";
  disk.meta.name = "disk";
  disk.meta.resource_version = "1";
  disk.storage_class_name = "wait";
  world.Put(disk);
  world.Put(CoscheduledGroupOf(2));
  cluster::PodBuilder pod = Coscheduled("a").Claim("disk");
  pod.raw().spec.resource_claims = {{.name = "gpu", .claim_name = "c", .template_name = {}}};
  world.Put(pod.Build());
  world.Put(Coscheduled("b").Request("cpu", "9").Build());
  Marker::log.clear();
  world.ScheduleAll();
  ASSERT_TRUE(world.core().cluster().IsAssumed("uid-a"));

  world.Pass(Seconds(10));

  EXPECT_EQ(Marker::log, (Names{"First+a", "Last+a", "Last-a", "First-a"}));
  EXPECT_EQ(world.core().cluster().assumed_count(), 0u);
  EXPECT_TRUE(world.Take<framework::BindClaim>().empty());
  EXPECT_TRUE(world.Take<framework::UpdatePersistentVolumeClaim>().empty());
  for (const cluster::TableSize& size : world.core().Sizes()) {
    if (size.table == "claims in flight" || size.table == "assumed claims" || size.table == "assumed volumes") {
      EXPECT_EQ(size.size, 0u) << size.table;
    }
  }
}

}  // namespace
}  // namespace berth::scheduler
