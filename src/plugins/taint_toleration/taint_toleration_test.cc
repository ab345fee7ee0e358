// SPDX-License-Identifier: Apache-2.0
#include "plugins/taint_toleration/taint_toleration.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "plugins/helpers/plugin_trial.h"

namespace berth::plugins {
namespace {

using cluster::NodeBuilder;
using cluster::PodBuilder;
using testing::ElementsAre;
using testing::Pair;

constexpr char kUntolerated[] = "UnschedulableAndUnresolvable: node(s) had untolerated taint(s)";

TEST(TaintToleration, TaintsThatKeepPodsAwayMustBeTolerated) {
  cluster::Cluster cluster;
  cluster.AddNode(NodeBuilder("clean"));
  cluster.AddNode(NodeBuilder("execute").Taint("gpu", "a", "NoExecute"));
  cluster.AddNode(NodeBuilder("prefer").Taint("gpu", "a", "PreferNoSchedule"));
  cluster.AddNode(NodeBuilder("schedule").Taint("gpu", "a", "NoSchedule"));
  const TaintToleration plugin(false);

  PluginTrial without(cluster, PodBuilder("p"));
  EXPECT_THAT(without.Filter(plugin), ElementsAre(Pair("execute", kUntolerated), Pair("schedule", kUntolerated)));

  PluginTrial one_effect(cluster, PodBuilder("p").Toleration("gpu", "Equal", "a", "NoSchedule"));
  EXPECT_TRUE(plugin.PreFilter(one_effect.cycle()).status.ok());
  EXPECT_THAT(one_effect.Filter(plugin), ElementsAre(Pair("execute", kUntolerated)));

  PluginTrial all(cluster, PodBuilder("p").Toleration("gpu"));
  EXPECT_TRUE(all.Filter(plugin).empty());
}

TEST(TaintToleration, EveryTaintOfANodeMustBeTolerated) {
  cluster::Cluster cluster;
  cluster.AddNode(NodeBuilder("n").Taint("a", "", "NoSchedule").Taint("b", "", "NoSchedule"));

  PluginTrial one(cluster, PodBuilder("p").Toleration("a"));
  EXPECT_THAT(one.Filter(TaintToleration(false)), ElementsAre(Pair("n", kUntolerated)));

  PluginTrial both(cluster, PodBuilder("p").Toleration("a").Toleration("b"));
  EXPECT_TRUE(both.Filter(TaintToleration(false)).empty());
}

TEST(TaintToleration, NumericOperatorsCountOnlyWhenEnabled) {
  cluster::Cluster cluster;
  cluster.AddNode(NodeBuilder("n").Taint("level", "5", "NoSchedule"));
  PluginTrial trial(cluster, PodBuilder("p").Toleration("level", "Gt", "4"));

  EXPECT_THAT(trial.Filter(TaintToleration(false)), ElementsAre(Pair("n", kUntolerated)));

  PluginTrial enabled(cluster, PodBuilder("p").Toleration("level", "Gt", "4"));
  EXPECT_TRUE(enabled.Filter(TaintToleration(true)).empty());
}

TEST(TaintToleration, FewerUntoleratedPreferencesScoreHigher) {
  cluster::Cluster cluster;
  cluster.AddNode(NodeBuilder("none").Taint("x", "", "NoSchedule"));
  cluster.AddNode(NodeBuilder("one").Taint("a", "", "PreferNoSchedule").Taint("b", "", "PreferNoSchedule"));
  cluster.AddNode(NodeBuilder("three")
                      .Taint("b", "1", "PreferNoSchedule")
                      .Taint("c", "", "PreferNoSchedule")
                      .Taint("d", "", "PreferNoSchedule"));
  const TaintToleration plugin(false);

  PluginTrial trial(
      cluster,
      PodBuilder("p").Toleration("a", "Exists", "", "PreferNoSchedule").Toleration("b", "Exists", "", "NoSchedule"));
  EXPECT_THAT(trial.Score(plugin), ElementsAre(Pair("none", 100), Pair("one", 67), Pair("three", 0)));

  PluginTrial tolerant(cluster, PodBuilder("p").Toleration(""));
  EXPECT_THAT(tolerant.Score(plugin), ElementsAre(Pair("none", 100), Pair("one", 100), Pair("three", 100)));
}

}  // namespace
}  // namespace berth::plugins
