// SPDX-License-Identifier: Apache-2.0
#include "plugins/node_name/node_name.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "plugins/helpers/plugin_trial.h"

namespace berth::plugins {
namespace {

using cluster::NodeBuilder;
using cluster::PodBuilder;

TEST(NodeName, PodThatNamesANodeGoesNowhereElse) {
  cluster::Cluster cluster;
  cluster.AddNode(NodeBuilder("a"));
  cluster.AddNode(NodeBuilder("b"));
  PluginTrial trial(cluster, PodBuilder("p").Node("b"));
  const NodeName plugin;

  EXPECT_EQ(plugin.PreFilter(trial.cycle()).node_names, std::vector<std::string>{"b"});
  EXPECT_THAT(trial.Filter(plugin),
              testing::ElementsAre(
                  testing::Pair("a", "UnschedulableAndUnresolvable: node(s) didn't match the requested node name")));
}

TEST(NodeName, OtherPodsGoAnywhere) {
  cluster::Cluster cluster;
  cluster.AddNode(NodeBuilder("a"));
  PluginTrial trial(cluster, PodBuilder("p"));
  const NodeName plugin;

  const framework::PreFilterResult result = plugin.PreFilter(trial.cycle());

  EXPECT_TRUE(result.status.ok());
  EXPECT_FALSE(result.node_names);
  EXPECT_TRUE(trial.Filter(plugin).empty());
}

}  // namespace
}  // namespace berth::plugins
