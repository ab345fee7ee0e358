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

}  // namespace
}  // namespace berth::explain
