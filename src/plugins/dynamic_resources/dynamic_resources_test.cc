// SPDX-License-Identifier: Apache-2.0
#include "plugins/dynamic_resources/dynamic_resources.h"

#include <gtest/gtest.h>

#include "plugins/helpers/plugin_trial.h"

namespace berth::plugins {
namespace {

using cluster::PodBuilder;
using framework::StatusCode;

TEST(DynamicResources, PodsWithoutClaimsAreSkipped) {
  cluster::Cluster cluster;
  PluginTrial trial(cluster, PodBuilder("p"));

  EXPECT_TRUE(DynamicResources().PreFilter(trial.cycle()).status.is_skip());
}

TEST(DynamicResources, PodsWithClaimsAreTurnedDown) {
  cluster::Cluster cluster;
  PodBuilder pod("p");
  pod.raw().spec.resource_claims.resize(1);
  PluginTrial trial(cluster, pod);

  const framework::Status status = DynamicResources().PreFilter(trial.cycle()).status;

  EXPECT_EQ(status.code, StatusCode::kUnschedulableAndUnresolvable);
  EXPECT_EQ(status.message(), "resource claims are not supported yet");
}

TEST(DynamicResources, ScoresNothingAndHasNoWorkBeforeBinding) {
  cluster::Cluster cluster;
  cluster.AddNode(cluster::NodeBuilder("n"));
  PluginTrial trial(cluster, PodBuilder("p"));

  EXPECT_EQ(trial.Score(DynamicResources()).at("n"), 0);
  EXPECT_TRUE(DynamicResources().PreBindPreFlight(trial.cycle(), trial.nodes().front()).is_skip());
}

}  // namespace
}  // namespace berth::plugins
