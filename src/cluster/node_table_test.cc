// SPDX-License-Identifier: Apache-2.0

#include "cluster/node_table.h"

#include <gtest/gtest.h>

#include "cluster/nominated_pods.h"
#include "cluster/pod_catalog.h"
#include "cluster/test_builders.h"

namespace berth::cluster {
namespace {

class NodeTableTest : public testing::Test {
 protected:
  NodeSlot Add(const NodeBuilder& node) {
    const api::Node built = node;
    const NodeSlot slot = table_.FindOrAdd(built.meta.name);
    table_.SetNode(slot, std::make_shared<const api::Node>(built), names_);
    return slot;
  }

  ResourceNames names_;
  PodCatalog catalog_{names_, {}};
  NodeTable table_;
};

TEST_F(NodeTableTest, EqualTaintsAndLabelsShareASet) {
  const NodeSlot a = Add(NodeBuilder("a").Taint("gpu", "", "NoSchedule").Zone("z1"));
  const NodeSlot b = Add(NodeBuilder("b").Taint("gpu", "", "NoSchedule").Zone("z1"));
  const NodeSlot c = Add(NodeBuilder("c").Zone("z2"));

  EXPECT_EQ(table_.taint_set[a.index], table_.taint_set[b.index]);
  EXPECT_EQ(table_.label_set[a.index], table_.label_set[b.index]) << "the hostname label is left out";
  EXPECT_NE(table_.taint_set[a.index], table_.taint_set[c.index]);
  EXPECT_NE(table_.label_set[a.index], table_.label_set[c.index]);
  EXPECT_EQ(table_.taint_sets().count(table_.taint_set[a.index]), 2U);

  table_.ClearNode(a);
  EXPECT_EQ(table_.taint_sets().count(table_.taint_set[b.index]), 1U);
}

TEST_F(NodeTableTest, FreedRowsAreReusedClean) {
  const NodeSlot a = Add(NodeBuilder("a").Capacity("4", "8Gi").Allocatable("example.com/gpu", "2").Unschedulable());
  const PodPtr pod = catalog_.Make(PodBuilder("p").Request("example.com/gpu", "1"));
  table_.AddPod(a, pod);
  EXPECT_TRUE(table_.RemovePod(a, *pod));
  EXPECT_FALSE(table_.RemovePod(a, *pod));
  table_.ClearNode(a);
  table_.Free(a);

  const NodeSlot b = table_.FindOrAdd("b");

  EXPECT_EQ(b, a);
  EXPECT_EQ(table_.allocatable_cpu[b.index], 0);
  EXPECT_TRUE(table_.scalars().empty());
  EXPECT_TRUE(table_.pods[b.index].requested_scalars.empty());
  EXPECT_EQ(table_.unschedulable_count(), 0U);
}

TEST_F(NodeTableTest, RestoreUndoesATrial) {
  const NodeSlot slot = Add(NodeBuilder("a").Capacity("4", "8Gi"));
  const PodPtr first = catalog_.Make(PodBuilder("first").Request("cpu", "1").HostPort(80).Claim("data"));
  const PodPtr second = catalog_.Make(PodBuilder("second").AntiAffinity(Term("zone", {})));
  table_.AddPod(slot, first);
  table_.AddPod(slot, second);

  NodeTable::SavedRow saved = table_.Save(slot);
  table_.RemovePod(slot, *first);
  table_.AddPod(slot, catalog_.Make(PodBuilder("third").Request("example.com/new", "1")));
  table_.Restore(slot, std::move(saved));

  const NodePods& pods = table_.pods[slot.index];
  EXPECT_EQ(pods.pods, (std::vector<PodPtr>{first, second}));
  EXPECT_EQ(pods.with_required_anti_affinity, std::vector<PodPtr>{second});
  EXPECT_EQ(pods.used_ports.size(), 1U);
  EXPECT_EQ(pods.pvc_counts.size(), 1U);
  EXPECT_EQ(table_.requested_cpu[slot.index], 1000);
  EXPECT_EQ(table_.pod_count[slot.index], 2);
  EXPECT_EQ(table_.nonzero_cpu[slot.index], 1100);
  EXPECT_TRUE(pods.requested_scalars.empty());
  EXPECT_EQ(names_.size(), 0U);
}

TEST_F(NodeTableTest, ResourceHasAColumnWhileSomeNodeListsIt) {
  const NodeSlot plain = Add(NodeBuilder("plain"));
  const PodPtr pod = catalog_.Make(PodBuilder("p").Request("example.com/gpu", "2"));
  table_.AddPod(plain, pod);
  ResourceId gpu;
  ASSERT_TRUE(names_.Find("example.com/gpu", gpu));
  EXPECT_EQ(table_.Scalar(gpu), nullptr) << "only a pod names it";
  EXPECT_EQ(table_.Requested(plain, gpu), 2);

  const NodeSlot rich = Add(NodeBuilder("rich").Allocatable("example.com/gpu", "4"));
  ASSERT_NE(table_.Scalar(gpu), nullptr);
  EXPECT_EQ(table_.Scalar(gpu)->requested[plain.index], 2);
  EXPECT_EQ(table_.Scalar(gpu)->allocatable[rich.index], 4);

  NodeTable::SavedRow saved = table_.Save(plain);
  table_.RemovePod(plain, *pod);
  EXPECT_EQ(table_.Scalar(gpu)->requested[plain.index], 0);
  table_.Restore(plain, std::move(saved));
  EXPECT_EQ(table_.Scalar(gpu)->requested[plain.index], 2);

  Add(NodeBuilder("rich"));
  EXPECT_EQ(table_.Scalar(gpu), nullptr);
  EXPECT_EQ(table_.Requested(plain, gpu), 2);
}

TEST_F(NodeTableTest, NamesThatNoPodRequestsAnyMoreStayOnlyWhileTheyAreFew) {
  const NodeSlot slot = Add(NodeBuilder("a"));
  const auto count = [&] { return table_.pods[slot.index].requested_scalars.size(); };
  for (size_t i = 0; i <= kIdleScalarsMax; ++i) {
    EXPECT_EQ(count(), i);
    const PodPtr pod = catalog_.Make(PodBuilder("p").Request("example.com/r" + std::to_string(i), "1"));
    table_.AddPod(slot, pod);
    table_.RemovePod(slot, *pod);
  }
  EXPECT_EQ(count(), 0U);
  EXPECT_EQ(names_.size(), 0U);
}

TEST_F(NodeTableTest, FreeRowsAtTheEndGo) {
  const NodeSlot a = table_.FindOrAdd("a");
  const NodeSlot b = table_.FindOrAdd("b");
  const uint64_t before = table_.change_count();
  const NodeSlot c = table_.FindOrAdd("c");
  table_.Free(a);
  EXPECT_EQ(table_.slot_limit(), 3U);
  table_.Free(c);
  EXPECT_EQ(table_.slot_limit(), 2U);
  EXPECT_TRUE(table_.VisitChanges(before, [&](NodeSlot slot) { EXPECT_LT(slot.index, table_.slot_limit()); }));
  EXPECT_EQ(table_.FindOrAdd("d"), a) << "the lowest first";
  table_.Free(a);
  table_.Free(b);
  EXPECT_EQ(table_.slot_limit(), 0U);
}

TEST_F(NodeTableTest, TopologyKeyWithoutNodesTakesNoRoom) {
  const NodeSlot a = Add(NodeBuilder("a").Label("rack", "r1"));
  EXPECT_EQ(table_.Topology("rack")->domain(a), 0U);
  EXPECT_EQ(table_.Topology("row")->domain_count(), 0U);
  EXPECT_TRUE(table_.HasLabel("rack"));
  EXPECT_FALSE(table_.HasLabel("row"));

  Add(NodeBuilder("a").Label("row", "x"));
  EXPECT_FALSE(table_.HasLabel("rack"));
  EXPECT_EQ(table_.Topology("row")->domain(a), 0U) << "a node has it now";
  EXPECT_EQ(table_.Topology("rack")->domain(a), kNoDomain);
}

TEST_F(NodeTableTest, ChangesAreVisitedUntilTheyAreTooLongAgo) {
  const NodeSlot slot = Add(NodeBuilder("a").Capacity("4", "8Gi"));
  const PodPtr pod = catalog_.Make(PodBuilder("p"));
  const uint64_t before = table_.change_count();
  table_.AddPod(slot, pod);

  std::vector<NodeSlot> changed;
  EXPECT_TRUE(table_.VisitChanges(before, [&](NodeSlot visited) { changed.push_back(visited); }));
  EXPECT_EQ(changed, std::vector<NodeSlot>{slot});
  for (int i = 0; i < 5000; ++i) {
    table_.RemovePod(slot, *pod);
    table_.AddPod(slot, pod);
  }
  EXPECT_FALSE(table_.VisitChanges(before, [](NodeSlot) {}));
}

TEST(Resources, ScalarNamesAreThoseUpstreamCounts) {
  struct Case {
    const char* name;
    bool scalar;
    bool extended;
  };
  const Case cases[] = {
      {"cpu", false, false},
      {"storage", false, false},
      {"hugepages-2Mi", true, false},
      {"attachable-volumes-csi-x", true, false},
      {"kubernetes.io/batch-cpu", true, false},
      {"example.kubernetes.io/x", true, false},
      {"nvidia.com/gpu", true, true},
      {"requests.nvidia.com/gpu", false, false},
      {"nvidia.com/", false, false},
      {"a/b/c", false, false},
  };

  for (const Case& c : cases) {
    SCOPED_TRACE(c.name);
    EXPECT_EQ(IsScalarName(c.name), c.scalar);
    EXPECT_EQ(IsExtendedName(c.name), c.extended);
  }
}

TEST(Resources, AmountsRoundUp) {
  ResourceNames names;

  const Resources resources = ToResources(
      Amounts({{"cpu", "1.0001"}, {"memory", "1.5"}, {"pods", "3"}, {"nvidia.com/gpu", "0"}, {"odd", "1"}}), names);

  EXPECT_EQ(resources.cpu_milli, 1001);
  EXPECT_EQ(resources.memory_bytes, 2);
  EXPECT_EQ(resources.pods, 3);
  ASSERT_EQ(resources.scalars.size(), 1U);
  EXPECT_EQ(resources.scalars[0].first->text, "nvidia.com/gpu");
}

TEST(NominatedPods, PodHasOneNominationAtATime) {
  ResourceNames names;
  PodCatalog catalog(names, {});
  NominatedPods nominated;
  const PodPtr a = catalog.Make(PodBuilder("a"));
  const PodPtr b = catalog.Make(PodBuilder("b"));
  nominated.Set(a, "n1");
  nominated.Set(b, "n1");
  EXPECT_EQ(nominated.OnNode("n1"), (std::vector<PodPtr>{a, b}));

  nominated.Set(a, "n2");
  EXPECT_EQ(nominated.OnNode("n1"), std::vector<PodPtr>{b});
  EXPECT_EQ(nominated.NodeOf("uid-a"), "n2");

  nominated.Set(a, "");
  nominated.Remove("uid-b");
  nominated.Remove("uid-b");
  EXPECT_TRUE(nominated.empty());
  EXPECT_TRUE(nominated.by_node().empty());
}

}  // namespace
}  // namespace berth::cluster
