// SPDX-License-Identifier: Apache-2.0
// A copy of a cluster and its original go their own ways, each as if there were no other.

#include <algorithm>
#include <iterator>
#include <map>
#include <memory>
#include <string>
#include <tuple>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include "base/random.h"
#include "cluster/cluster.h"
#include "cluster/cluster_trial.h"
#include "cluster/devices/test_devices.h"
#include "cluster/test_builders.h"

namespace berth::cluster {
namespace {

constexpr size_t kCopiedNodes = 12;
constexpr size_t kCopiedPods = 150;

std::string Pick(Random& random, const char* prefix, size_t count) {
  return prefix + std::to_string(random.Below(count));
}

std::unique_ptr<Cluster> MakeEmpty() {
  return std::make_unique<Cluster>(PodResourceOptions{}, DeviceOptions{},
                                   PodGroupOptions{.enabled = true, .composite = true});
}

PodPtr RandomPod(Cluster& cluster, Random& random, const std::string& name, std::string node) {
  PodBuilder pod(name);
  pod.Node(std::move(node)).Namespace(Pick(random, "ns", 2)).Label("app", Pick(random, "a", 3));
  pod.Request("cpu", "100m").Owner("ReplicaSet", "rs", Pick(random, "owner", 4));
  if (random.Below(4) == 0) pod.AntiAffinity(Term("zone", {{"app", Pick(random, "a", 3)}}));
  if (random.Below(4) == 0) pod.Request(Pick(random, "example.com/r", 3), "1");
  if (random.Below(4) == 0) pod.HostPort(static_cast<int32_t>(8000 + random.Below(3)));
  if (random.Below(3) == 0) pod.Claim(Pick(random, "claim", 5));
  if (random.Below(3) == 0) pod.raw().spec.scheduling_group = Pick(random, "group", 3);
  if (random.Below(5) == 0) pod.Label(std::string(CoscheduledPods::kLabel), Pick(random, "co", 3));
  return cluster.MakePod(pod);
}

void ChangePod(Cluster& cluster, Random& random) {
  const std::string name = Pick(random, "p", kCopiedPods);
  const PodPtr known = cluster.FindPod("uid-" + name);
  const uint64_t what = random.Below(8);
  const std::string node = Pick(random, "n", kCopiedNodes);
  const PodPtr pod = RandomPod(cluster, random, name, known && what == 3 ? known->node_name : node);
  switch (what) {
    case 0:
    case 1:
      if (known) std::ignore = cluster.RemovePod(*known);
      return;
    case 2:
      if (known) std::ignore = cluster.ForgetPod(*known);
      return;
    case 3:
      if (known) std::ignore = cluster.UpdatePod(*known, pod);
      return;
    case 4: std::ignore = cluster.AssumePod(pod); return;
    default: std::ignore = cluster.AddPod(pod); return;
  }
}

void ChangeNode(Cluster& cluster, Random& random) {
  const std::string name = Pick(random, "n", kCopiedNodes);
  NodeBuilder node(name);
  node.Capacity("8", "8Gi").Zone(Pick(random, "z", 3)).Label("pool", Pick(random, "pool", 3));
  if (random.Below(3) == 0) node.Unschedulable();
  if (random.Below(2) == 0) node.Allocatable(Pick(random, "example.com/r", 3), "2");
  if (random.Below(2) == 0) node.Taint(Pick(random, "taint", 2), "", "NoSchedule");
  for (uint64_t i = random.Below(3); i > 0; --i) node.Image(Pick(random, "image", 5), 100);
  const bool removes = random.Below(3) == 0;
  NodeSlot slot;
  if (!cluster.nodes().Find(name, slot) || cluster.nodes().has_node[slot.index] == 0) return cluster.AddNode(node);
  const api::Node old_node = *cluster.nodes().node[slot.index];
  if (removes) {
    std::ignore = cluster.RemoveNode(old_node);
  } else {
    cluster.UpdateNode(&old_node, node);
  }
}

void ChangeDevices(Cluster& cluster, Random& random) {
  const std::string node = Pick(random, "n", kCopiedNodes);
  const std::string claim = Pick(random, "c", 8);
  const bool erases = random.Below(3) == 0;
  const std::string device = Pick(random, "dev-", 4);
  api::ResourceClaim made = TestClaim(claim, {TestRequest("req")});
  switch (random.Below(5)) {
    case 0:
      if (erases) {
        cluster.objects.resource_slices.Erase("", "slice-" + node);
      } else {
        cluster.objects.resource_slices.Put(TestSlice("slice-" + node, node, node, TestDevices(4)));
      }
      return;
    case 1: made.allocation = TestAllocation(node, {device}); [[fallthrough]];
    case 2:
      if (erases) {
        cluster.objects.resource_claims.Erase("default", claim);
      } else {
        cluster.objects.resource_claims.Put(made);
      }
      return;
    case 3:
      if (erases) {
        std::ignore = cluster.devices.RemoveInFlight("uid-" + claim);
      } else {
        std::ignore = cluster.devices.AddInFlight("uid-" + claim, TestAllocation(node, {device}));
      }
      return;
    default: cluster.objects.device_classes.Put(TestClass(Pick(random, "class", 3))); return;
  }
}

void ChangeObject(Cluster& cluster, Random& random) {
  const bool erases = random.Below(3) == 0;
  const std::string name = Pick(random, "group", 3);
  const std::string ns = Pick(random, "ns", 2);
  const std::string volume = Pick(random, "pv", 200);
  const std::string version = Pick(random, "", 100);
  switch (random.Below(4)) {
    case 0: {
      api::PodGroup group;
      group.meta.ns = ns;
      group.meta.name = name;
      if (random.Below(2) == 0) group.spec.parent = "parent";
      if (erases) {
        cluster.objects.pod_groups.Erase(ns, name);
      } else {
        cluster.objects.pod_groups.Put(group);
      }
      return;
    }
    case 1: {
      const PodPtr pod = RandomPod(cluster, random, Pick(random, "pending", 5), "");
      cluster.nominated.Set(pod, erases ? "" : Pick(random, "n", kCopiedNodes));
      cluster.groups.Add(pod);
      cluster.coscheduled.Put(nullptr, pod);
      return;
    }
    default: {
      api::PersistentVolume object;
      object.meta.name = volume;
      object.meta.resource_version = version;
      if (erases) {
        cluster.objects.persistent_volumes.Erase("", volume);
      } else {
        cluster.objects.persistent_volumes.Put(object);
        if (random.Below(4) == 0) std::ignore = cluster.assumed_volumes.volumes.Assume(object);
      }
      return;
    }
  }
}

// The same seed makes the same changes to clusters that are equal.
void Change(Cluster& cluster, Random& random, int count) {
  for (int i = 0; i < count; ++i) {
    switch (random.Below(8)) {
      case 0: ChangeNode(cluster, random); break;
      case 1: ChangeDevices(cluster, random); break;
      case 2: ChangeObject(cluster, random); break;
      case 3: (void)cluster.order(); break;
      default: ChangePod(cluster, random); break;
    }
  }
}

std::string Uids(const std::vector<PodPtr>& pods) {
  std::string text;
  for (const PodPtr& pod : pods) text += pod->uid + (pod->node_name.empty() ? " " : "@" + pod->node_name + " ");
  return text;
}

void DescribeRow(const Cluster& cluster, uint32_t i, std::vector<std::string>& lines) {
  const NodeTable& nodes = cluster.nodes();
  const NodePods& row = nodes.pods[i];
  std::string ports;
  for (const UsedPort& port : row.used_ports) ports += fmt::format("{}:{} ", port.ip, port.port);
  std::map<std::string, std::string> scalars;
  for (const RequestedScalar& scalar : row.requested_scalars) {
    const ScalarColumn* column = nodes.Scalar(scalar.name->id);
    scalars[scalar.name->text] =
        fmt::format("{}*{}/{}", scalar.amount, scalar.pods, column == nullptr ? -1 : column->allocatable[i]);
  }
  lines.push_back(fmt::format("{} {}: {}{}{} cpu {}/{} pods {} | {} | {} | {} | {} | {} | {}", i, nodes.name[i],
                              nodes.in_use[i], nodes.has_node[i], nodes.unschedulable[i], nodes.requested_cpu[i],
                              nodes.allocatable_cpu[i], nodes.pod_count[i], Uids(row.pods), Uids(row.with_affinity),
                              Uids(row.with_required_anti_affinity), ports, row.pvc_counts, scalars));
  if (nodes.has_node[i] == 0) return;
  std::string sets;
  for (const api::Taint& taint : *nodes.taint_sets().value(nodes.taint_set[i])) sets += taint.key + " ";
  for (const auto& [key, value] : *nodes.label_sets().value(nodes.label_set[i])) sets += key + "=" + value + " ";
  const Result<std::vector<ResourcePoolPtr>> pools =
      cluster.devices.pools().For({nodes.name[i], nodes.node[i]->meta.labels});
  for (const ResourcePoolPtr& pool : *pools) sets += pool->id.ToString() + " ";
  lines.push_back(fmt::format("{} {}", nodes.name[i], sets));
}

// Everything that can be seen of a cluster, apart from ids and what is kept for questions.
std::vector<std::string> Describe(const Cluster& cluster) {
  std::vector<std::string> lines;
  const NodeTable& nodes = cluster.nodes();
  for (uint32_t i = 0; i < nodes.slot_limit(); ++i) DescribeRow(cluster, i, lines);
  lines.push_back(fmt::format("order {}", cluster.node_order().List().value()));
  lines.push_back(fmt::format("assumed {}", cluster.assumed_uids()));
  for (size_t i = 0; i < 5; ++i) {
    const ImageIndex::Image* image = cluster.images().Find("image" + std::to_string(i));
    if (image == nullptr) continue;
    std::string slots;
    for (const NodeSlot slot : image->nodes) slots += std::to_string(slot.index) + " ";
    lines.push_back(fmt::format("{} of {} on {}", *image->name, image->size_bytes, slots));
  }
  std::vector<std::string> affine;
  for (const auto& [id, group] : cluster.affinity().groups()) {
    group.pods.ForEach([&](uint32_t slot, int32_t count) {
      affine.push_back(fmt::format("{} {} {}", group.pod_template->ns, slot, count));
    });
  }
  std::ranges::sort(affine);
  std::ranges::move(affine, std::back_inserter(lines));
  for (const char* ns : {"ns0", "ns1"}) {
    for (int i = 0; i < 5; ++i) {
      const std::string claim = fmt::format("{}/claim{}", ns, i);
      lines.push_back(fmt::format("{} is used by {}", claim, cluster.ClaimUsers(claim)));
    }
    for (int i = 0; i < 3; ++i) {
      const PodGroupState* group = cluster.groups.Find({false, ns, "group" + std::to_string(i)});
      if (group == nullptr) continue;
      lines.push_back(fmt::format("group{} has {} pods, {} assumed, {} and {}", i, group->pods.size(),
                                  group->assumed.size(), group->assigned, group->unscheduled));
    }
  }
  for (const auto& [node, pods] : cluster.nominated.by_node()) lines.push_back(node + " is for " + Uids(pods));
  for (const auto& [key, volume] : cluster.objects.persistent_volumes.all()) {
    lines.push_back(key + " " + cluster.assumed_volumes.volumes.Get("", volume->meta.name)->meta.resource_version);
  }
  cluster.objects.ForEachStore([&](std::string_view kind, const auto& store) {
    for (const auto& [key, object] : store.all()) lines.push_back(fmt::format("{} {}", kind, key));
  });
  for (const auto& [table, size] : cluster.Sizes()) {
    const bool is_shared = table == "pod templates" || table == "pod label sets" || table == "resource names";
    const bool is_kept = table.starts_with("topology") || table.starts_with("pod counter");
    if (!is_shared && !is_kept) lines.push_back(fmt::format("{}: {}", table, size));
  }
  return lines;
}

TEST(ClusterCopy, GoesItsOwnWay) {
  for (uint64_t seed = 0; seed < 10; ++seed) {
    SCOPED_TRACE(seed);
    const auto made = [&] {
      auto cluster = MakeEmpty();
      Random random(seed);
      Change(*cluster, random, 1'000);
      return cluster;
    };
    const auto original = made();
    const auto like_original = made();
    const auto like_copy = made();
    const auto like_second = made();
    const Cluster copy_of_copy_source(*original);
    auto copy = std::make_unique<Cluster>(copy_of_copy_source);
    auto second = std::make_unique<Cluster>(*original);
    ASSERT_EQ(Describe(*copy), Describe(*original));

    std::vector<Random> randoms;
    for (uint64_t i = 0; i < 6; ++i) randoms.emplace_back(seed * 10 + 100 + i % 3);
    for (int round = 0; round < 10; ++round) {
      Change(*original, randoms[0], 60);
      Change(*copy, randoms[1], 60);
      Change(*second, randoms[2], 60);
      Change(*like_original, randoms[3], 60);
      Change(*like_copy, randoms[4], 60);
      Change(*like_second, randoms[5], 60);
      ASSERT_EQ(Describe(*original), Describe(*like_original));
      ASSERT_EQ(Describe(*copy), Describe(*like_copy));
      ASSERT_EQ(Describe(*second), Describe(*like_second));
      ASSERT_EQ(original->order(), like_original->order());
      ASSERT_EQ(copy->order(), like_copy->order());
    }
    ASSERT_NE(Describe(*copy), Describe(*original));
  }
}

TEST(ClusterCopy, CountsPodsOfItsOwn) {
  Cluster original;
  original.AddNode(NodeBuilder("n1").Zone("z1"));
  const PodPtr pod = original.MakePod(PodBuilder("p").Node("n1").Label("app", "web"));
  ASSERT_TRUE(original.AddPod(pod));
  PodQuery query;
  query.namespaces = {"default"};
  query.selectors = {api::Selector::FromLabels({{"app", "web"}})};
  ASSERT_EQ(original.CountPods(query)->total(), 1);
  Cluster copy(original);

  ASSERT_TRUE(copy.RemovePod(*pod));
  copy.AddNode(NodeBuilder("n2").Zone("z2"));

  EXPECT_EQ(copy.CountPods(query)->total(), 0);
  EXPECT_EQ(original.CountPods(query)->total(), 1);
  query.namespaces.push_back("other");  // Not kept yet: found by the label, of which both know.
  EXPECT_EQ(copy.CountPods(query)->total(), 0);
  EXPECT_EQ(original.CountPods(query)->total(), 1);
  EXPECT_EQ(copy.nodes().Topology("topology.kubernetes.io/zone")->Find("z2"), DomainId{1});
  EXPECT_EQ(original.nodes().Topology("topology.kubernetes.io/zone")->Find("z2"), kNoDomain);
}

TEST(ClusterCopy, LeavesNothingBehind) {
  Random random(7);
  const auto original = MakeEmpty();
  Change(*original, random, 1'000);
  const TableSizes before = original->Sizes();

  for (int i = 0; i < 3; ++i) {
    Cluster copy(*original);
    Change(copy, random, 300);
    copy.AddNode(NodeBuilder("only-there").Allocatable("example.com/only-there", "1"));
    EXPECT_TRUE(copy.AddPod(copy.MakePod(PodBuilder("only-there").Node("only-there").Label("only", "there"))));
    EXPECT_NE(original->Sizes(), before) << "names and templates are shared";
  }

  EXPECT_EQ(original->Sizes(), before);
}

TEST(ClusterCopy, TrialInTheCopyEndsThere) {
  Random random(3);
  const auto original = MakeEmpty();
  original->AddNode(NodeBuilder("n0"));
  Change(*original, random, 1'000);
  Cluster copy(*original);
  const std::vector<std::string> before = Describe(*original);

  {
    ClusterTrial trial(copy);
    NodeSlot slot;
    for (size_t i = 0; i < kCopiedPods; ++i) {
      const PodPtr pod = copy.FindPod("uid-p" + std::to_string(i));
      if (pod && copy.nodes().Find(pod->node_name, slot) && copy.nodes().has_node[slot.index] != 0) trial.Remove(pod);
    }
    EXPECT_LT(copy.pod_count(), original->pod_count());
    EXPECT_EQ(Describe(*original), before);
  }
  EXPECT_EQ(Describe(copy), before);
}

}  // namespace
}  // namespace berth::cluster
