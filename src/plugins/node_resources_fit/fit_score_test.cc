// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "cluster/test_builders.h"
#include "plugins/helpers/test_run.h"
#include "plugins/node_resources_fit/node_resources_fit.h"

namespace berth::plugins {
namespace {

using cluster::NodeBuilder;
using cluster::PodBuilder;

TEST(NodeResourcesFit, OfATieTheNodesAreLeftThatWereAheadBeforeScoresWereTruncated) {
  cluster::Cluster cluster;
  for (const char* name : {"full", "a", "b", "c"}) cluster.AddNode(NodeBuilder(name).Capacity("4", "16Gi"));
  cluster.AddNode(NodeBuilder("large").Capacity("8", "32Gi"));
  ASSERT_TRUE(cluster.AddPod(cluster.MakePod(PodBuilder("first").Request("cpu", "2m").Node("full"))));
  ASSERT_TRUE(cluster.AddPod(cluster.MakePod(PodBuilder("second").Request("cpu", "2m").Node("b"))));
  // With the pod it is used by the same shares as the empty ones.
  ASSERT_TRUE(
      cluster.AddPod(cluster.MakePod(PodBuilder("third").Request("cpu", "1").Request("memory", "1Gi").Node("large"))));
  const NodeResourcesFit plugin{NodeResourcesFit::Args{}};
  TestRun<NodeResourcesFit> run(plugin, cluster, PodBuilder("p").Request("cpu", "1").Request("memory", "1Gi"));
  std::vector<cluster::NodeSlot> tied;
  for (const char* name : {"full", "a", "b", "large", "c"}) tied.push_back(run.Slot(name));

  plugin.NarrowTie(run.cycle(), tied);

  std::vector<std::string> left;
  for (const cluster::NodeSlot slot : tied) left.push_back(cluster.nodes().name[slot.index]);
  EXPECT_THAT(left, ::testing::ElementsAre("a", "large", "c"));
}

}  // namespace
}  // namespace berth::plugins
