// SPDX-License-Identifier: Apache-2.0
#include "plugins/dynamic_resources/allocator/kept_allocations.h"

#include <gtest/gtest.h>

#include "cluster/devices/test_devices.h"
#include "cluster/test_builders.h"

namespace berth::plugins {
namespace {

using cluster::TestClaim;
using cluster::TestDevices;
using cluster::TestRequest;
using cluster::TestSlice;

// Two nodes with two devices each, and a claim for one device.
class TwoDeviceNodes {
 public:
  TwoDeviceNodes() {
    cluster_.AddNode(cluster::NodeBuilder("a"));
    cluster_.AddNode(cluster::NodeBuilder("b"));
    cluster_.objects.Put(cluster::TestClass());
    cluster_.objects.Put(TestSlice("sa", "pool-a", "a", TestDevices(2)));
    cluster_.objects.Put(TestSlice("sb", "pool-b", "b", TestDevices(2)));
  }

  cluster::Cluster& cluster() { return cluster_; }
  AllocationPtr Ask(const std::string& node, const api::ResourceClaim& claim = TestClaim("c", {TestRequest("r")})) {
    const std::vector<const api::ResourceClaim*> claims = {&claim};
    cluster::NodeSlot slot;
    EXPECT_TRUE(cluster_.nodes().Find(node, slot));
    return kept_.For(claims, 2)->Get(cluster_, slot, claims);
  }
  // Somebody gets the first device of the pool.
  void Take(const std::string& pool) {
    api::ResourceClaim taker = TestClaim("taker", {});
    taker.allocation = cluster::TestAllocation(pool, {"dev-0"});
    cluster_.objects.Put(taker);
  }

 private:
  cluster::Cluster cluster_;
  KeptAllocations kept_;
};

std::string DeviceIn(const AllocationPtr& allocation) {
  return allocation->results.empty() ? "none" : allocation->results[0].results[0].device;
}

TEST(KeptAllocations, AnswerStaysWhileNothingChangesThatItDependsOn) {
  TwoDeviceNodes nodes;
  const AllocationPtr first = nodes.Ask("a");

  EXPECT_EQ(nodes.Ask("a"), first);
  EXPECT_EQ(nodes.Ask("a", TestClaim("another", {TestRequest("r")})), first) << "claims that ask for the same";
  nodes.Take("pool-b");
  EXPECT_EQ(nodes.Ask("a"), first) << "another node's devices";
  EXPECT_NE(nodes.Ask("a", TestClaim("c", {TestRequest("r", 2)})), first) << "more devices";
}

TEST(KeptAllocations, AnswerFollowsDevicesSlicesClassesAndNodes) {
  TwoDeviceNodes nodes;
  EXPECT_EQ(DeviceIn(nodes.Ask("a")), "dev-0");

  nodes.Take("pool-a");
  EXPECT_EQ(DeviceIn(nodes.Ask("a")), "dev-1");
  nodes.cluster().objects.Erase("ResourceClaim", "default", "taker");
  EXPECT_EQ(DeviceIn(nodes.Ask("a")), "dev-0");

  nodes.cluster().devices.AddInFlight("uid-flying", cluster::TestAllocation("pool-a", {"dev-0", "dev-1"}));
  EXPECT_EQ(DeviceIn(nodes.Ask("a")), "none");
  nodes.cluster().devices.RemoveInFlight("uid-flying");
  EXPECT_EQ(DeviceIn(nodes.Ask("a")), "dev-0");

  nodes.cluster().objects.Erase("ResourceSlice", "", "sa");
  EXPECT_EQ(DeviceIn(nodes.Ask("a")), "none");
  nodes.cluster().objects.Put(TestSlice("s", "shared", "", TestDevices(1)));
  EXPECT_EQ(DeviceIn(nodes.Ask("a")), "dev-0");

  const AllocationPtr before = nodes.Ask("a");
  nodes.cluster().objects.Put(cluster::TestClass());
  EXPECT_NE(nodes.Ask("a"), before);
  const AllocationPtr with_class = nodes.Ask("a");
  nodes.cluster().UpdateNode(nullptr, cluster::NodeBuilder("a").Label("k", "v"));
  EXPECT_NE(nodes.Ask("a"), with_class);
}

TEST(KeptAllocations, SharesAreKept) {
  TwoDeviceNodes nodes;
  std::vector<api::Device> devices = TestDevices(1);
  devices[0].allow_multiple_allocations = true;
  nodes.cluster().objects.Put(TestSlice("sa", "pool-a", "a", devices));

  const AllocationPtr share = nodes.Ask("a");

  EXPECT_EQ(share->results[0].results[0].share_id, "");
  EXPECT_EQ(nodes.Ask("a"), share);
}

TEST(KeptAllocations, ErrorsAreNotKept) {
  TwoDeviceNodes nodes;
  api::ResourceClaim wrong = TestClaim("wrong", {TestRequest("r", 1, "unknown")});
  const AllocationPtr error = nodes.Ask("b", wrong);
  EXPECT_EQ(error->outcome, Allocation::Outcome::kError);
  EXPECT_NE(nodes.Ask("b", wrong), error);
}

TEST(KeptAllocations, OnlyTheRecentQuestionsAreKept) {
  TwoDeviceNodes nodes;
  const AllocationPtr first = nodes.Ask("a");

  for (int i = 0; i < 64; ++i) nodes.Ask("a", TestClaim("c", {TestRequest("r" + std::to_string(i))}));

  EXPECT_NE(nodes.Ask("a"), first);
}

}  // namespace
}  // namespace berth::plugins
