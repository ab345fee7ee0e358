// SPDX-License-Identifier: Apache-2.0
#include "plugins/default_binder/default_binder.h"

#include <gtest/gtest.h>

#include "plugins/helpers/plugin_trial.h"

namespace berth::plugins {
namespace {

TEST(DefaultBinder, BindsThePodToTheNode) {
  cluster::Cluster cluster;
  cluster.AddNode(cluster::NodeBuilder("n"));
  PluginTrial trial(cluster, cluster::PodBuilder("p"));
  framework::Effects effects;

  EXPECT_TRUE(DefaultBinder().Bind(trial.cycle(), trial.nodes().front(), effects).ok());

  ASSERT_EQ(effects.size(), 1u);
  const auto& bind = std::get<framework::BindPod>(effects.front());
  EXPECT_EQ(bind.pod->full_name(), "default/p");
  EXPECT_EQ(bind.pod->uid, "uid-p");
  EXPECT_EQ(bind.node_name, "n");
}

}  // namespace
}  // namespace berth::plugins
