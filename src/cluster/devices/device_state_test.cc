// SPDX-License-Identifier: Apache-2.0
#include "cluster/devices/device_state.h"

#include <gtest/gtest.h>

#include "cluster/cluster.h"
#include "cluster/devices/device_selectors.h"
#include "cluster/devices/test_devices.h"
#include "cluster/test_builders.h"

namespace berth::cluster {
namespace {

bool IsAllocated(const Cluster& cluster, std::string_view device) {
  return cluster.devices.uses().IsAllocated({kTestDriver, "a"}, device);
}

TEST(DeviceState, DevicesOfAllocatedClaimsAreInUse) {
  Cluster cluster;
  api::ResourceClaim claim = TestClaim("c", {TestRequest("req")});
  cluster.objects.Put(claim);
  EXPECT_FALSE(IsAllocated(cluster, "dev-0"));

  claim.allocation = TestAllocation("a", {"dev-0", "dev-1"});
  claim.allocation->results[1].admin_access = true;
  cluster.objects.Put(claim);
  EXPECT_TRUE(IsAllocated(cluster, "dev-0"));
  EXPECT_FALSE(IsAllocated(cluster, "dev-1")) << "admin access takes nothing";

  cluster.objects.Erase("ResourceClaim", "default", "c");
  EXPECT_FALSE(IsAllocated(cluster, "dev-0"));
}

TEST(DeviceSelectors, ThoseNotAskedForLatelyAreForgotten) {
  const DeviceSelectors selectors;
  const uint64_t first = selectors.Get("true")->id;
  for (int i = 0; i < 600; ++i) (void)selectors.Get(std::to_string(i) + " < 1");

  EXPECT_LE(selectors.size(), 512U);
  EXPECT_NE(selectors.Get("true")->id, first);
}

TEST(DeviceState, ClaimsInFlightCountUntilTheStoredClaimDoes) {
  Cluster cluster;
  api::ResourceClaim claim = TestClaim("c", {TestRequest("req")});
  cluster.objects.Put(claim);
  api::AllocationResult share = TestAllocation("a", {"dev-0"});
  share.results[0].share_id = "share";
  share.results[0].consumed_capacity = Amounts({{"memory", "10Gi"}});
  const auto consumed = [&] {
    return cluster.devices.uses().Find({kTestDriver, "a"})->at("dev-0").consumed.Find("memory")->String();
  };

  cluster.devices.AddInFlight("uid-c", share);
  EXPECT_TRUE(cluster.devices.IsInFlight("uid-c"));
  EXPECT_EQ(consumed(), "10Gi");

  claim.allocation = share;
  cluster.objects.Put(claim);
  EXPECT_EQ(consumed(), "10Gi") << "not twice";

  EXPECT_TRUE(cluster.devices.RemoveInFlight("uid-c"));
  EXPECT_FALSE(cluster.devices.RemoveInFlight("uid-c"));
  EXPECT_EQ(consumed(), "10Gi");

  EXPECT_FALSE(cluster.devices.AddInFlight("uid-c", share)) << "it is allocated already";
  EXPECT_FALSE(cluster.devices.IsInFlight("uid-c"));
}

TEST(DeviceState, DevicesAreHeldWhileTheirClaimIsBeingWritten) {
  Cluster cluster;
  cluster.devices.AddInFlight("uid-c", TestAllocation("a", {"dev-0"}));
  EXPECT_TRUE(cluster.devices.WriteBegins("uid-c"));
  EXPECT_FALSE(cluster.devices.IsAbandoned("uid-c"));

  EXPECT_TRUE(cluster.devices.RemoveInFlight("uid-c"));
  EXPECT_TRUE(cluster.devices.IsAbandoned("uid-c"));
  EXPECT_TRUE(IsAllocated(cluster, "dev-0")) << "the write may still be carried out";

  cluster.devices.WriteEnds("uid-c");
  EXPECT_FALSE(cluster.devices.IsInFlight("uid-c"));
  EXPECT_FALSE(IsAllocated(cluster, "dev-0"));

  cluster.devices.AddInFlight("uid-c", TestAllocation("a", {"dev-0"}));
  EXPECT_TRUE(cluster.devices.WriteBegins("uid-c"));
  cluster.devices.WriteEnds("uid-c");
  EXPECT_TRUE(cluster.devices.IsInFlight("uid-c")) << "it was not given up";
  EXPECT_FALSE(cluster.devices.WriteBegins("uid-d")) << "nothing is in flight";
}

TEST(DeviceState, DevicesAreHeldUntilEveryMemberHasWrittenTheirClaim) {
  Cluster cluster;
  for (int member = 0; member < 2; ++member) {
    EXPECT_TRUE(cluster.devices.AddInFlight("uid-c", TestAllocation("a", {"dev-0"}), 1));
  }
  for (int member = 0; member < 2; ++member) EXPECT_TRUE(cluster.devices.WriteBegins("uid-c"));
  EXPECT_FALSE(cluster.devices.RemoveInFlight("uid-c")) << "the other one needs it";
  cluster.devices.WriteEnds("uid-c");

  EXPECT_TRUE(cluster.devices.RemoveInFlight("uid-c"));
  EXPECT_TRUE(IsAllocated(cluster, "dev-0")) << "one write may still be carried out";

  cluster.devices.WriteEnds("uid-c");
  EXPECT_FALSE(cluster.devices.IsInFlight("uid-c"));
  EXPECT_FALSE(IsAllocated(cluster, "dev-0"));
}

TEST(DeviceState, TheNewerClassProvidesAnExtendedResource) {
  Cluster cluster;
  api::DeviceClass older = TestClass("older");
  older.meta.creation_timestamp = Time{1};
  older.extended_resource_name = "example.com/gpu";
  api::DeviceClass newer = TestClass("newer");
  newer.meta.creation_timestamp = Time{2};
  newer.extended_resource_name = "example.com/gpu";
  const ExtendedResources& resources = cluster.devices.extended_resources();

  cluster.objects.Put(newer);
  cluster.objects.Put(older);
  EXPECT_EQ(resources.ClassOf("example.com/gpu")->meta.name, "newer");
  EXPECT_EQ(resources.ClassOf("deviceclass.resource.kubernetes.io/older"), nullptr) << "it has lost";

  cluster.objects.Erase("DeviceClass", "", "newer");
  EXPECT_EQ(resources.ClassOf("example.com/gpu"), nullptr);
  EXPECT_TRUE(resources.empty());
}

TEST(DeviceState, HoldsNothingOfWhatHasGone) {
  Cluster cluster;
  const TableSizes before = cluster.Sizes();

  for (int i = 0; i < 50; ++i) {
    const std::string number = std::to_string(i);
    cluster.objects.Put(TestSlice("s" + number, "pool" + number, i % 2 == 0 ? "n" + number : "", TestDevices(3)));
    cluster.objects.Put(TestClass("class" + number));
    api::ResourceClaim claim = TestClaim("c" + number, {});
    claim.allocation = TestAllocation("pool" + number, {"dev-0"});
    claim.meta.annotations.Set(std::string(kExtendedResourceClaimAnnotation), "true");
    claim.meta.owner_references = {{"v1", "Pod", "p", "pod" + number, true}};
    cluster.objects.Put(claim);
    cluster.devices.AddInFlight("flight" + number, TestAllocation("gone" + number, {"dev-0"}));
    EXPECT_NE(cluster.devices.ExtendedResourceClaim("pod" + number), nullptr);
  }
  api::DeviceTaintRule rule;
  rule.meta.name = "rule";
  rule.device_selector.emplace();
  cluster.objects.Put(rule);
  EXPECT_NE(cluster.Sizes(), before);

  cluster.objects.Erase("DeviceTaintRule", "", "rule");
  for (int i = 0; i < 50; ++i) {
    const std::string number = std::to_string(i);
    cluster.objects.Erase("ResourceSlice", "", "s" + number);
    cluster.objects.Erase("DeviceClass", "", "class" + number);
    cluster.objects.Erase("ResourceClaim", "default", "c" + number);
    cluster.devices.RemoveInFlight("flight" + number);
  }
  EXPECT_EQ(cluster.Sizes(), before);
}

}  // namespace
}  // namespace berth::cluster
