// SPDX-License-Identifier: Apache-2.0
#include "plugins/node_unschedulable/node_unschedulable.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "plugins/helpers/plugin_trial.h"

namespace berth::plugins {
namespace {

using cluster::NodeBuilder;
using cluster::PodBuilder;

TEST(NodeUnschedulable, CordonedNodesAreRejected) {
  cluster::Cluster cluster;
  cluster.AddNode(NodeBuilder("a"));
  cluster.AddNode(NodeBuilder("b").Unschedulable());
  PluginTrial trial(cluster, PodBuilder("p").Toleration("other"));

  EXPECT_THAT(trial.Filter(NodeUnschedulable(false)),
              testing::ElementsAre(testing::Pair("b", "UnschedulableAndUnresolvable: node(s) were unschedulable")));
}

TEST(NodeUnschedulable, PodsThatTolerateTheCordonTaintPass) {
  cluster::Cluster cluster;
  cluster.AddNode(NodeBuilder("b").Unschedulable());
  const PodBuilder pods[] = {
      PodBuilder("p").Toleration("node.kubernetes.io/unschedulable"),
      PodBuilder("p").Toleration("node.kubernetes.io/unschedulable", "Equal", "", "NoSchedule"),
      PodBuilder("p").Toleration(""),
  };
  for (const PodBuilder& pod : pods) {
    PluginTrial trial(cluster, pod);

    EXPECT_TRUE(trial.Filter(NodeUnschedulable(false)).empty());
  }
}

}  // namespace
}  // namespace berth::plugins
