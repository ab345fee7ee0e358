// SPDX-License-Identifier: Apache-2.0
#include "explain/node_listing.h"

#include <gtest/gtest.h>

#include "explain/test_cluster.h"

namespace berth::explain {
namespace {

TEST(NodeListing, NamesTheFirstPods) {
  const TestCluster cluster(NodeYaml("n1") + PodYaml("b", "500m", ", nodeName: n1") +
                            PodYaml("a", "1", ", nodeName: n1"));

  const Result<NodeListing> all = ListNode(*cluster.core, "n1", 500);
  const Result<NodeListing> first = ListNode(*cluster.core, "n1", 1);

  ASSERT_TRUE(all && first);
  ASSERT_EQ(all->pods.size(), 2U);
  EXPECT_EQ(all->pods[0].name, "a");
  EXPECT_EQ(all->pods[1].requests.cpu_milli, 500);
  EXPECT_EQ(first->count, 2U);
  EXPECT_EQ(first->pods.size(), 1U);
  EXPECT_EQ(ListNode(*cluster.core, "n2", 1).error().code, Code::kNotFound);
}

TEST(NodeListing, SaysWhichPodsTheNodeRefused) {
  TestCluster cluster(NodeYaml("n1") + NodeYaml("n2", ", disk: ssd"));
  cluster.core->set_record_limits({.bytes = 1 << 20});
  world::Manifests manifests;
  ASSERT_TRUE(
      manifests.Add(PodYaml("a", "9") + PodYaml("b", "9") + PodYaml("c", "9", ", nodeSelector: {disk: ssd}"), "pods"));
  ASSERT_TRUE(cluster.surroundings->FillFrom(manifests) && cluster.surroundings->Settle(cluster.pacer));

  const NodeListing listing = ListNode(*cluster.core, "n1", 500).value();

  ASSERT_EQ(listing.refusals.size(), 2U);
  EXPECT_EQ(listing.refusals[0].plugin, "NodeResourcesFit");
  EXPECT_EQ(listing.refusals[0].reason, "Insufficient cpu");
  EXPECT_EQ(listing.refusals[0].pods, 2U);
  EXPECT_EQ(listing.refusals[1].plugin, "NodeAffinity");
  EXPECT_EQ(listing.refusals[1].examples, std::vector<std::string>{"default/c"});
}

}  // namespace
}  // namespace berth::explain
