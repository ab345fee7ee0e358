// SPDX-License-Identifier: Apache-2.0
// Pods with resource claims, from the queue to the binding.

#include <memory>

#include <gtest/gtest.h>

#include "cluster/devices/test_devices.h"
#include "framework/claim_effects.h"
#include "scheduler/test_groups.h"
#include "scheduler/test_hold.h"

namespace berth::scheduler {
namespace {

using cluster::TestClaim;
using cluster::TestRequest;

cluster::PodBuilder PodWithClaim(const std::string& name, const std::string& claim) {
  cluster::PodBuilder pod = Pod(name);
  pod.raw().spec.resource_claims = {{.name = "gpu", .claim_name = claim, .template_name = {}}};
  return pod;
}

// A node "n1" with so many devices.
void PutDevices(World& world, size_t count) {
  world.Put(Node("n1"));
  world.Put(cluster::TestClass());
  world.Put(cluster::TestSlice("s", "pool", "n1", cluster::TestDevices(count)));
}

// Does as the API server would, and answers.
void CarryOutClaims(World& world) {
  for (auto [id, bind] : world.Take<framework::BindClaim>()) {
    api::ResourceClaim claim = bind.claim;
    if (claim.meta.name.empty()) {
      claim.meta.name = framework::ExtendedClaimName(*bind.pod);
      claim.meta.uid = "uid-extended";
    } else {
      claim = *world.core().cluster().objects.resource_claims.Find(claim.meta.ns, claim.meta.name);
    }
    const std::string refusal = framework::Apply(bind, claim, world.now());
    claim.meta.resource_version += "0";
    if (refusal.empty()) world.Put(claim);
    world.Answer(id, refusal.empty() ? EffectAnswer::Code::kOk : EffectAnswer::Code::kFailed, refusal);
  }
}

size_t SizeOf(World& world, std::string_view table) {
  for (const cluster::TableSize& size : world.core().Sizes()) {
    if (size.table == table) return size.size;
  }
  ADD_FAILURE() << "no table is called " << table;
  return 0;
}

size_t InFlight(World& world) { return SizeOf(world, "claims in flight"); }

TEST(Claims, AreWrittenBeforeThePodIsBound) {
  World world;
  PutDevices(world, 2);
  world.Put(TestClaim("c", {TestRequest("req")}));
  world.Put(PodWithClaim("a", "c").Build());
  world.ScheduleAll();
  EXPECT_TRUE(world.Take<framework::BindPod>().empty());
  EXPECT_EQ(InFlight(world), 1u);

  CarryOutClaims(world);

  EXPECT_EQ(world.Take<framework::BindPod>().size(), 1u);
  EXPECT_EQ(InFlight(world), 0u);
  const api::ResourceClaim* claim = world.core().cluster().objects.resource_claims.Find("default", "c");
  EXPECT_EQ(claim->allocation->results.at(0).device, "dev-0");
  EXPECT_EQ(claim->reserved_for.at(0).uid, "uid-a");
}

TEST(Claims, OfDifferentPodsGetDifferentDevices) {
  World world;
  PutDevices(world, 2);
  for (const char* name : {"c", "d", "e"}) world.Put(TestClaim(name, {TestRequest("req")}));
  world.Put(PodWithClaim("a", "c").Build());
  world.Put(PodWithClaim("b", "d").Build());
  world.Put(PodWithClaim("x", "e").Build());

  world.ScheduleAll();

  const auto binds = world.Take<framework::BindClaim>();
  ASSERT_EQ(binds.size(), 2u) << "before any of them is written";
  EXPECT_NE(binds[0].second.allocation->results[0].device, binds[1].second.allocation->results[0].device);
  const auto patches = world.Take<framework::PatchPodStatus>();
  ASSERT_EQ(patches.size(), 1u);
  EXPECT_TRUE(
      patches[0].second.condition->message.starts_with("0/1 nodes are available: 1 cannot allocate all claims."));
}

TEST(Claims, ThatMembersShareTakeNothingOfTheirOwnOnes) {
  World world = GroupWorld();
  PutDevices(world, 2);
  world.Put(Gang("g", 2));
  for (const char* name : {"shared", "own-b", "own-c"}) world.Put(TestClaim(name, {TestRequest("req")}));
  const auto member = [](const std::string& name, const std::string& own) {
    api::Pod pod = Member(name, "g");
    pod.spec.containers[0].requests = cluster::Amounts({{"cpu", "1"}});
    pod.spec.resource_claims = {{.name = "shared", .claim_name = "shared", .template_name = {}}};
    if (!own.empty()) pod.spec.resource_claims.push_back({.name = "own", .claim_name = own, .template_name = {}});
    return pod;
  };
  world.Put(member("a", ""));
  world.Put(member("b", "own-b"));
  world.Put(member("c", "own-c"));

  world.ScheduleAll();
  for (int round = 0; round < 3; ++round) CarryOutClaims(world);

  // The shared one has a device and the first one of their own; a third is not there.
  EXPECT_EQ(world.Take<framework::BindPod>().size(), 2u);
  const auto& claims = world.core().cluster().objects.resource_claims;
  EXPECT_EQ(claims.Find("default", "shared")->allocation.value().results.at(0).device, "dev-0");
  EXPECT_EQ(claims.Find("default", "own-b")->allocation.value().results.at(0).device, "dev-1");
  EXPECT_FALSE(claims.Find("default", "own-c")->allocation);
}

// Whoever writes first brings the devices, and that may be the last one, if somebody takes them away in between.
TEST(Claims, ThatMembersShareAreInFlightUntilAllHaveThem) {
  World world = GroupWorld();
  PutDevices(world, 1);
  world.Put(Gang("g", 2));
  world.Put(TestClaim("shared", {TestRequest("req")}));
  for (const char* name : {"a", "b"}) {
    api::Pod pod = Member(name, "g");
    pod.spec.resource_claims = {{.name = "gpu", .claim_name = "shared", .template_name = {}}};
    world.Put(pod);
  }
  world.ScheduleAll();
  const auto binds = world.Take<framework::BindClaim>();
  ASSERT_EQ(binds.size(), 2u);
  const api::ResourceClaim before = *world.core().cluster().objects.resource_claims.Find("default", "shared");
  api::ResourceClaim claim = before;
  ASSERT_EQ(framework::Apply(binds[0].second, claim, world.now()), "");
  world.Put(claim);
  world.Answer(binds[0].first);
  ASSERT_EQ(world.Take<framework::BindPod>().size(), 1u);

  world.Put(before);
  EXPECT_EQ(world.core().cluster().devices.uses().size(), 1u) << "the other one writes it again";

  world.Answer(binds[1].first, EffectAnswer::Code::kFailed, "no");
  EXPECT_EQ(InFlight(world), 0u);
  EXPECT_EQ(world.core().cluster().devices.uses().size(), 0u);
}

// The devices were chosen for another member, which a Permit plugin turns down before anything is written.
TEST(Claims, ThatMembersShareAreBroughtByTheOthersIfTheFirstIsRefused) {
  framework::SchedulerConfiguration configuration = DefaultConfiguration("GangScheduling");
  configuration.profiles[0].plugins.multi_point.enabled.push_back({"Hold"});
  World world(configuration, WithHold(), WithGroups());
  PutDevices(world, 1);
  api::PodGroup gang = Gang("g", 1);
  gang.spec.priority = 100;
  world.Put(gang);
  world.Put(TestClaim("shared", {TestRequest("req")}));
  for (const char* name : {"a", "b"}) {
    api::Pod pod = Member(name, "g");
    pod.spec.priority = 100;
    if (pod.meta.name == "a") pod.meta.labels.Set("forbidden", "");
    pod.spec.resource_claims = {{.name = "gpu", .claim_name = "shared", .template_name = {}}};
    world.Put(pod);
  }

  world.ScheduleAll();

  EXPECT_EQ(InFlight(world), 1u);
  EXPECT_EQ(world.core().cluster().devices.uses().size(), 1u);
  CarryOutClaims(world);
  const auto binds = world.Take<framework::BindPod>();
  ASSERT_EQ(binds.size(), 1u);
  EXPECT_EQ(binds[0].second.pod->name, "b");
  EXPECT_EQ(InFlight(world), 0u);
}

TEST(Claims, ThatCouldNotBeWrittenGiveTheirDevicesBack) {
  World world;
  PutDevices(world, 1);
  world.Put(TestClaim("c", {TestRequest("req")}));
  world.Put(PodWithClaim("a", "c").Build());
  world.ScheduleAll();
  const auto binds = world.Take<framework::BindClaim>();
  ASSERT_EQ(binds.size(), 1u);

  world.Answer(binds[0].first, EffectAnswer::Code::kFailed, "no");

  EXPECT_EQ(InFlight(world), 0u);
  EXPECT_EQ(world.core().cluster().devices.uses().size(), 0u);
  EXPECT_TRUE(world.Take<framework::UnreserveClaim>().empty()) << "it was never reserved";
  world.Pass(Seconds(3));
  world.ScheduleAll();
  EXPECT_EQ(world.Take<framework::BindClaim>().size(), 1u);
}

// A pod with the claim c is stopped by a preemptor while the claim is being written. The effect that writes it.
uint64_t GiveUpWhileTheClaimIsWritten(World& world) {
  world.Put(PodWithClaim("victim", "c").Request("cpu", "3").Priority(0).Build());
  world.ScheduleAll();
  const auto binds = world.Take<framework::BindClaim>();
  EXPECT_EQ(binds.size(), 1u);
  world.Put(Pod("preemptor").Request("cpu", "3").Priority(100).Build());
  world.ScheduleAll();
  return binds.empty() ? 0 : binds[0].first;
}

// The write may be carried out all the same.
TEST(Claims, ThatAreBeingWrittenKeepTheirDevicesWhenTheirPodIsGivenUp) {
  World world;
  PutDevices(world, 1);
  for (const char* name : {"c", "d"}) world.Put(TestClaim(name, {TestRequest("req")}));
  const uint64_t write = GiveUpWhileTheClaimIsWritten(world);
  ASSERT_EQ(world.Take<framework::BindPod>().size(), 1u) << "the victim was stopped";

  world.Put(PodWithClaim("other", "d").Build());
  world.ScheduleAll();
  EXPECT_TRUE(world.Take<framework::BindClaim>().empty()) << "the device may have been given away";
  world.Take<framework::RecordEvent>();
  world.Pass(Seconds(10));
  world.ScheduleAll();
  const auto events = world.Take<framework::RecordEvent>();
  ASSERT_EQ(events.size(), 1u) << "the victim is tried again without any event";
  EXPECT_TRUE(events[0].second.note.ends_with("resource claim default/c is in the process of being allocated"));

  world.Answer(write, EffectAnswer::Code::kFailed, "no");
  EXPECT_EQ(InFlight(world), 0u);
  EXPECT_EQ(world.core().cluster().devices.uses().size(), 0u);
}

// Its answer comes to a copy as well, if the copy goes on as the original does.
TEST(Claims, ThatAreBeingWrittenWhenACopyIsMadeAreAnsweredThereToo) {
  World world;
  PutDevices(world, 1);
  world.Put(TestClaim("c", {TestRequest("req")}));
  const uint64_t write = GiveUpWhileTheClaimIsWritten(world);
  const std::unique_ptr<Core> copy = world.core().Copy();
  ASSERT_EQ(copy->cluster().devices.uses().size(), 1u);

  copy->Step({world.now(), EffectAnswer{write, EffectAnswer::Code::kFailed, "no"}});

  EXPECT_EQ(copy->cluster().devices.uses().size(), 0u);
  EXPECT_EQ(world.core().cluster().devices.uses().size(), 1u);
}

// A write from before the devices were chosen holds nothing, so its end says nothing about them.
TEST(Claims, ThatAreBeingWrittenKeepTheirDevicesWhenAnEarlierWriteEnds) {
  World world;
  PutDevices(world, 1);
  api::ResourceClaim claim = TestClaim("c", {TestRequest("req")});
  claim.allocation = cluster::TestAllocation("pool", {"dev-0"});
  world.Put(claim);
  world.Put(PodWithClaim("a", "c").Build());
  world.ScheduleAll();
  const auto reservations = world.Take<framework::BindClaim>();
  ASSERT_EQ(reservations.size(), 1u);
  claim.allocation.reset();
  claim.meta.resource_version += "0";
  world.Put(claim);
  const uint64_t write = GiveUpWhileTheClaimIsWritten(world);
  EXPECT_EQ(world.core().cluster().devices.uses().size(), 1u);

  world.Answer(reservations[0].first, EffectAnswer::Code::kFailed, "deallocated elsewhere");
  EXPECT_EQ(world.core().cluster().devices.uses().size(), 1u) << "the device may have been given away";

  world.Answer(write, EffectAnswer::Code::kFailed, "no");
  EXPECT_EQ(InFlight(world), 0u);
  EXPECT_EQ(world.core().cluster().devices.uses().size(), 0u);
}

TEST(Claims, WithBindingConditionsAreWaitedFor) {
  World world;
  world.Put(Node("n1"));
  world.Put(cluster::TestClass());
  api::Device device = cluster::TestDevice("slow");
  device.binding_conditions = {"Ready"};
  device.binding_failure_conditions = {"Broken"};
  world.Put(cluster::TestSlice("s", "pool", "n1", {device}));
  world.Put(TestClaim("c", {TestRequest("req")}));
  world.Put(PodWithClaim("a", "c").Build());
  world.ScheduleAll();
  world.Take<framework::RecordEvent>();
  CarryOutClaims(world);
  EXPECT_TRUE(world.Take<framework::BindPod>().empty());
  EXPECT_EQ(world.Take<framework::RecordEvent>().at(0).second.reason, "BindingConditionsPending");

  api::ResourceClaim claim = *world.core().cluster().objects.resource_claims.Find("default", "c");
  claim.meta.resource_version += "0";
  claim.devices = {{.driver = cluster::kTestDriver, .pool = "pool", .device = "slow", .conditions = {}}};
  claim.devices[0].conditions = {{.type = "Broken", .status = "True", .reason = "Fire", .message = "it burns"}};
  world.Put(claim);
  world.Pass(Seconds(1));
  EXPECT_EQ(
      world.Take<framework::RecordEvent>().at(0).second.note,
      "running PreBind plugin \"DynamicResources\": device binding failed: claim=c, reason=Fire, message=\"it burns\"");
  EXPECT_EQ(world.Take<framework::UnreserveClaim>().size(), 1u);

  claim.meta.resource_version += "0";
  claim.reserved_for.clear();
  world.Put(claim);
  world.Pass(Seconds(3));
  world.ScheduleAll();
  EXPECT_EQ(world.Take<framework::DeallocateClaim>().size(), 1u) << "no node can use it, so its devices are given up";
}

TEST(Claims, AreMadeForExtendedResourcesThatDevicesProvide) {
  World world;
  PutDevices(world, 2);
  api::DeviceClass device_class = cluster::TestClass();
  device_class.extended_resource_name = "example.com/gpu";
  world.Put(device_class);
  world.Put(Pod("a").Request("example.com/gpu", "2").Build());
  world.ScheduleAll();

  auto binds = world.Take<framework::BindClaim>();
  ASSERT_EQ(binds.size(), 1u);
  const framework::BindClaim& bind = binds[0].second;
  EXPECT_EQ(bind.claim.meta.name, "");
  EXPECT_EQ(bind.claim.requests.at(0).exactly->count, 2);
  EXPECT_EQ(bind.request_mappings.at(0).resource_name, "example.com/gpu");
  api::ResourceClaim made = bind.claim;
  made.meta.name = "a-extended-resources-x";
  made.meta.uid = "uid-made";
  made.meta.resource_version = "7";
  world.Put(made);

  world.Answer(binds[0].first, EffectAnswer::Code::kFailed, "no");

  EXPECT_EQ(world.Take<framework::DeleteClaim>().at(0).second.claim_name, "a-extended-resources-x");
  EXPECT_EQ(world.core().cluster().devices.uses().size(), 0u);
}

TEST(Claims, LeaveNothingBehind) {
  World world;
  PutDevices(world, 3);
  const size_t objects = SizeOf(world, "objects");

  for (int i = 0; i < 20; ++i) {
    world.Put(TestClaim("c", {TestRequest("req", 2)}));
    world.Put(PodWithClaim("a", "c").Build());
    world.ScheduleAll();
    CarryOutClaims(world);
    for (const auto& [id, bind] : world.Take<framework::BindPod>()) world.Answer(id);
    world.Remove("Pod", "default", "a");
    world.Remove("ResourceClaim", "default", "c");
  }

  EXPECT_EQ(SizeOf(world, "objects"), objects);
  for (const char* table : {"devices in use", "claims in flight", "allocated claims"}) {
    EXPECT_EQ(SizeOf(world, table), 0u) << table;
  }
}

}  // namespace
}  // namespace berth::scheduler
