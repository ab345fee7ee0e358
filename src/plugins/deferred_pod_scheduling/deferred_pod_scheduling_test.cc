// SPDX-License-Identifier: Apache-2.0
#include "plugins/deferred_pod_scheduling/deferred_pod_scheduling.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "plugins/helpers/plugin_trial.h"

namespace berth::plugins {
namespace {

using cluster::NodeBuilder;
using cluster::PodBuilder;
using framework::EventResource;
using framework::QueueingHint;
using testing::ElementsAre;
using testing::Pair;

PodBuilder Deferred(std::string node) {
  return PodBuilder("p").Node(std::move(node)).Condition("PodResizePending", "True", "Deferred");
}

NodeBuilder Objecting(std::string name) {
  NodeBuilder node(std::move(name));
  node.raw().has_preemption_policy = true;
  node.raw().disable_resize_preemption = {"example.com/operator"};
  return node;
}

TEST(DeferredPodScheduling, PodIsTriedOnItsOwnNodeUnlessThatObjects) {
  cluster::Cluster cluster({.deferred_resizes = true});
  cluster.AddNode(NodeBuilder("a"));
  cluster.AddNode(NodeBuilder("b"));
  cluster.AddNode(Objecting("c"));
  const DeferredPodScheduling plugin;

  PluginTrial here(cluster, Deferred("a"));
  EXPECT_TRUE(plugin.PreFilter(here.cycle()).status.ok());
  EXPECT_THAT(here.Filter(plugin),
              ElementsAre(Pair("b", "UnschedulableAndUnresolvable: pod assigned to different node"),
                          Pair("c", "UnschedulableAndUnresolvable: pod assigned to different node")));
  PluginTrial there(cluster, Deferred("c"));
  EXPECT_THAT(there.Filter(plugin),
              ElementsAre(Pair("a", "UnschedulableAndUnresolvable: pod assigned to different node"),
                          Pair("b", "UnschedulableAndUnresolvable: pod assigned to different node"),
                          Pair("c", "UnschedulableAndUnresolvable: node had resize preemption disabled")));
}

TEST(DeferredPodScheduling, PodThatFitsIsNotBound) {
  cluster::Cluster cluster({.deferred_resizes = true});
  cluster.AddNode(NodeBuilder("a"));
  PluginTrial trial(cluster, Deferred("a"));

  const framework::PermitResult result = DeferredPodScheduling().Permit(trial.cycle(), trial.nodes().at(0));

  EXPECT_EQ(result.status.code, framework::StatusCode::kUnschedulableAndUnresolvable);
  EXPECT_EQ(result.status.message(), "pod resize fits, waiting for Kubelet actuation");
}

TEST(DeferredPodScheduling, OtherPodsAreOfNoInterest) {
  cluster::Cluster cluster({.deferred_resizes = true});
  cluster.AddNode(Objecting("a"));
  PluginTrial trial(cluster, PodBuilder("p"));
  const DeferredPodScheduling plugin;

  EXPECT_TRUE(plugin.PreFilter(trial.cycle()).status.is_skip());
  EXPECT_TRUE(trial.Filter(plugin).empty());
  EXPECT_TRUE(plugin.Permit(trial.cycle(), trial.nodes().at(0)).status.ok());
}

TEST(DeferredPodScheduling, NodeOfThePodThatObjectsNoMoreMayHelp) {
  const cluster::Cluster cluster;
  cluster::Cluster gated({.deferred_resizes = true});
  const cluster::PodPtr pod = gated.MakePod(Deferred("a"));
  const auto hint = [&](std::optional<api::Node> before, api::Node after, const cluster::PodPtr& waiting) {
    framework::Change change;
    change.event = {EventResource::kNode,
                    before ? framework::action::kUpdateNodePreemptionPolicy : framework::action::kAdd};
    if (before) change.old_object = std::make_shared<const api::Node>(*std::move(before));
    change.new_object = std::make_shared<const api::Node>(std::move(after));
    return DeferredPodScheduling().Hint(*waiting, change, cluster).value();
  };

  EXPECT_EQ(hint(Objecting("a"), NodeBuilder("a"), pod), QueueingHint::kQueue);
  EXPECT_EQ(hint(std::nullopt, NodeBuilder("a"), pod), QueueingHint::kQueue);
  EXPECT_EQ(hint(NodeBuilder("a"), Objecting("a"), pod), QueueingHint::kSkip);
  EXPECT_EQ(hint(NodeBuilder("a"), NodeBuilder("a"), pod), QueueingHint::kSkip);
  EXPECT_EQ(hint(std::nullopt, Objecting("a"), pod), QueueingHint::kSkip);
  EXPECT_EQ(hint(Objecting("b"), NodeBuilder("b"), pod), QueueingHint::kSkip);
  EXPECT_EQ(hint(std::nullopt, NodeBuilder("a"), gated.MakePod(PodBuilder("q").Node("a"))), QueueingHint::kSkip);
}

}  // namespace
}  // namespace berth::plugins
