// SPDX-License-Identifier: Apache-2.0
#include "plugins/node_resources_balanced_allocation/node_resources_balanced_allocation.h"

#include <gtest/gtest.h>

#include "cluster/test_builders.h"
#include "plugins/helpers/test_run.h"

namespace berth::plugins {
namespace {

using cluster::NodeBuilder;
using cluster::PodBuilder;

TEST(BalancedAllocation, PodsWithoutRequestsHaveNoSay) {
  cluster::Cluster cluster;
  cluster.AddNode(NodeBuilder("a").Capacity("4", "16Gi"));
  ASSERT_TRUE(cluster.AddPod(cluster.MakePod(PodBuilder("old").Request("cpu", "3").Node("a"))));
  const NodeResourcesBalancedAllocation plugin{NodeResourcesBalancedAllocation::Args{}};
  using Run = TestRun<NodeResourcesBalancedAllocation>;

  EXPECT_TRUE(Run(plugin, cluster, PodBuilder("p")).PreScore().is_skip());
  EXPECT_TRUE(Run(plugin, cluster, PodBuilder("p").Request("memory", "1Gi")).PreScore().ok());
}

}  // namespace
}  // namespace berth::plugins
