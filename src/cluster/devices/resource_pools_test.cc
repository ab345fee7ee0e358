// SPDX-License-Identifier: Apache-2.0
#include "cluster/devices/resource_pools.h"

#include <gtest/gtest.h>

#include "cluster/cluster.h"
#include "cluster/devices/test_devices.h"

namespace berth::cluster {
namespace {

// Pools as a node without labels sees them, each as "pool: device device", or "pool incomplete" or "pool invalid".
std::vector<std::string> Seen(const Cluster& cluster, std::string_view node, const api::Labels& labels = {}) {
  std::vector<std::string> seen;
  const Result<std::vector<ResourcePoolPtr>> pools = cluster.devices.pools().For({.name = node, .labels = labels});
  if (!pools) return {pools.error().message};
  for (const ResourcePoolPtr& pool : *pools) {
    std::string text = pool->id.pool;
    if (pool->is_incomplete) text += " incomplete";
    if (pool->is_invalid) text += " invalid";
    if (pool->is_usable()) {
      text += ":";
      for (const PoolSlicePtr& slice : pool->slices) {
        for (const api::Device& device : (*slice)->devices) text += " " + device.name;
      }
    }
    seen.push_back(text);
  }
  return seen;
}

using Pools = std::vector<std::string>;

TEST(ResourcePools, SlicesOfANodeAreSeenThereInOrderOfName) {
  Cluster cluster;
  cluster.objects.Put(TestSlice("s2", "a", "n1", {TestDevice("second")}, 1, 2));
  cluster.objects.Put(TestSlice("s1", "a", "n1", {TestDevice("first")}, 1, 2));
  cluster.objects.Put(TestSlice("s3", "b", "n2", {TestDevice("other")}));

  EXPECT_EQ(Seen(cluster, "n1"), Pools({"a: first second"}));
  EXPECT_EQ(Seen(cluster, "n2"), Pools({"b: other"}));
  EXPECT_EQ(Seen(cluster, "n3"), Pools());
}

TEST(ResourcePools, NewGenerationReplacesTheOldOneWhenItIsComplete) {
  Cluster cluster;
  cluster.objects.Put(TestSlice("s1", "a", "n1", {TestDevice("old")}));
  EXPECT_EQ(Seen(cluster, "n1"), Pools({"a: old"}));

  cluster.objects.Put(TestSlice("s2", "a", "n1", {TestDevice("new-1")}, 2, 2));
  EXPECT_EQ(Seen(cluster, "n1"), Pools({"a incomplete"}));

  cluster.objects.Put(TestSlice("s3", "a", "n1", {TestDevice("new-2")}, 2, 2));
  EXPECT_EQ(Seen(cluster, "n1"), Pools({"a: new-1 new-2"}));

  cluster.objects.Erase("ResourceSlice", "", "s2");
  EXPECT_EQ(Seen(cluster, "n1"), Pools({"a incomplete"}));
}

TEST(ResourcePools, SlicesForOtherNodesMakeAPoolCompleteOrObsolete) {
  Cluster cluster;
  cluster.objects.Put(TestSlice("s1", "a", "n1", {TestDevice("one")}, 1, 2));
  EXPECT_EQ(Seen(cluster, "n1"), Pools({"a incomplete"}));

  cluster.objects.Put(TestSlice("s2", "a", "n2", {TestDevice("two")}, 1, 2));
  EXPECT_EQ(Seen(cluster, "n1"), Pools({"a: one"}));

  cluster.objects.Put(TestSlice("s2", "a", "n2", {TestDevice("two")}, 2, 1));
  EXPECT_EQ(Seen(cluster, "n1"), Pools());
}

TEST(ResourcePools, PoolsThatContradictThemselvesAreInvalid) {
  Cluster cluster;
  cluster.objects.Put(TestSlice("s1", "twice", "n1", {TestDevice("dev"), TestDevice("dev")}));
  api::Device counting = TestDevice("dev");
  counting.consumes_counters = {{.counter_set = "missing", .counters = {}, .compatibility_groups = {}}};
  cluster.objects.Put(TestSlice("s2", "uncounted", "n1", {counting}));

  EXPECT_EQ(Seen(cluster, "n1"), Pools({"twice invalid", "uncounted invalid"}));
}

TEST(ResourcePools, NodeSelectorsAndDevicesSayWhoSeesThem) {
  Cluster cluster;
  api::ResourceSlice selected = TestSlice("s1", "a", "", {TestDevice("dev")});
  selected.nodes.all_nodes = false;
  selected.nodes.node_selector = api::NodeSelector{
      .terms = {{.match_expressions = {{.key = "zone", .op = "In", .values = {"z1"}}}, .match_fields = {}}}};
  cluster.objects.Put(selected);
  api::ResourceSlice mixed = TestSlice("s2", "b", "", {TestDevice("here"), TestDevice("there")});
  mixed.nodes.all_nodes = false;
  mixed.per_device_node_selection = true;
  mixed.devices[0].nodes.node_name = "n1";
  cluster.objects.Put(mixed);

  EXPECT_EQ(Seen(cluster, "n1", {{"zone", "z1"}}), Pools({"a: dev", "b: here there"}));
  EXPECT_EQ(Seen(cluster, "n2", {{"zone", "z1"}}), Pools({"a: dev"}));
  EXPECT_EQ(Seen(cluster, "n2", {{"zone", "z2"}}), Pools());

  selected.nodes.node_selector->terms[0].match_expressions[0].op = "Among";
  cluster.objects.Put(selected);
  EXPECT_TRUE(Seen(cluster, "n2").at(0).starts_with("failed to perform node selection for slice s1: "));
}

TEST(ResourcePools, PoolsWithBindingConditionsComeLast) {
  Cluster cluster;
  api::Device slow = TestDevice("slow");
  slow.binding_conditions = {"Ready"};
  cluster.objects.Put(TestSlice("s1", "a", "n1", {slow}));
  cluster.objects.Put(TestSlice("s2", "b", "n1", {TestDevice("quick")}));

  EXPECT_EQ(Seen(cluster, "n1"), Pools({"b: quick", "a: slow"}));
}

TEST(ResourcePools, RulesTaintTheDevicesTheySelect) {
  Cluster cluster;
  cluster.objects.Put(TestSlice("s1", "a", "n1", TestDevices(2)));
  const auto taints = [&](size_t device) {
    const auto pools = cluster.devices.pools().For({.name = "n1", .labels = {}});
    return (*pools->at(0)->slices.at(0))->devices[device].taints.size();
  };

  api::DeviceTaintRule rule;
  rule.meta.name = "broken";
  rule.taint = {.key = "broken", .value = "", .effect = "NoSchedule"};
  cluster.objects.Put(rule);
  EXPECT_EQ(taints(1), 0u) << "a rule without selector is about no device";

  rule.device_selector.emplace();
  rule.device_selector->device = "dev-1";
  cluster.objects.Put(rule);
  EXPECT_EQ(taints(0), 0u);
  EXPECT_EQ(taints(1), 1u);
  EXPECT_EQ(cluster.devices.pools().changed_by_rule().size(), 1u);

  cluster.objects.Put(TestSlice("s1", "a", "n1", TestDevices(3)));
  EXPECT_EQ(taints(1), 1u) << "also in slices that come later";

  cluster.objects.Erase("DeviceTaintRule", "", "broken");
  EXPECT_EQ(taints(1), 0u);
}

}  // namespace
}  // namespace berth::cluster
