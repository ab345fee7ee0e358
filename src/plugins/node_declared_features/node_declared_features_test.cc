// SPDX-License-Identifier: Apache-2.0
#include "plugins/node_declared_features/node_declared_features.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "plugins/helpers/plugin_trial.h"

namespace berth::plugins {
namespace {

using cluster::NodeBuilder;
using cluster::PodBuilder;
using testing::ElementsAre;
using testing::Pair;

TEST(NodeDeclaredFeatures, SpecImpliesFeatures) {
  api::PodSpec spec;
  EXPECT_TRUE(RequiredNodeFeatures(spec).empty());

  spec.host_network = true;
  spec.host_users = true;
  EXPECT_TRUE(RequiredNodeFeatures(spec).empty());

  spec.host_users = false;
  spec.init_containers.resize(1);
  spec.init_containers[0].restarts_all_containers = true;
  spec.ephemeral_containers.resize(1);
  spec.ephemeral_containers[0].has_bind_mount_options = true;
  EXPECT_THAT(RequiredNodeFeatures(spec), ElementsAre("RestartAllContainersOnContainerExits",
                                                      "UserNamespacesHostNetworkSupport", "VolumeBindMountOptions"));
}

TEST(NodeDeclaredFeatures, NodeMustDeclareAllOfThem) {
  cluster::Cluster cluster;
  cluster.AddNode(NodeBuilder("both").Feature("VolumeBindMountOptions").Feature("UserNamespacesHostNetworkSupport"));
  cluster.AddNode(NodeBuilder("none"));
  cluster.AddNode(NodeBuilder("one").Feature("VolumeBindMountOptions"));
  PodBuilder pod = PodBuilder("p").HostNetwork();
  pod.raw().spec.host_users = false;
  pod.raw().spec.containers[0].has_bind_mount_options = true;
  PluginTrial trial(cluster, pod);
  const NodeDeclaredFeatures plugin(true);

  constexpr char kReason[] = "UnschedulableAndUnresolvable: node(s) didn't match Pod's required features";
  EXPECT_TRUE(plugin.PreFilter(trial.cycle()).status.ok());
  EXPECT_THAT(trial.Filter(plugin), ElementsAre(Pair("none", kReason), Pair("one", kReason)));
  EXPECT_TRUE(NodeDeclaredFeatures(false).PreFilter(trial.cycle()).status.is_skip());
}

TEST(NodeDeclaredFeatures, PodsThatNeedNothingAreSkipped) {
  cluster::Cluster cluster;
  PluginTrial trial(cluster, PodBuilder("p"));

  EXPECT_TRUE(NodeDeclaredFeatures(true).PreFilter(trial.cycle()).status.is_skip());
}

}  // namespace
}  // namespace berth::plugins
