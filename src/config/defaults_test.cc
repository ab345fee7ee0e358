// SPDX-License-Identifier: Apache-2.0
#include "config/defaults.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "plugins/dynamic_resources/dynamic_resources.h"
#include "plugins/registry.h"
#include "plugins/volume_binding/volume_binding.h"

namespace berth::config {
namespace {

using framework::FeatureGates;
using framework::PluginReference;
using framework::PluginSet;
using ::testing::ElementsAre;

std::vector<std::string> Names(const std::vector<PluginReference>& plugins) {
  std::vector<std::string> names;
  for (const PluginReference& plugin : plugins) names.push_back(plugin.name);
  return names;
}

TEST(Defaults, MergingKeepsTheOrderOfTheDefaults) {
  const PluginSet defaults{.enabled = {{"A", 1}, {"B", 2}, {"C", 3}}, .disabled = {}};

  const PluginSet merged = MergePluginSet(defaults, {.enabled = {{"X"}, {"C", 9}, {"B", 5}}, .disabled = {{"A", 4}}});

  EXPECT_THAT(merged.enabled, ElementsAre(PluginReference{"B", 5}, PluginReference{"C", 9}, PluginReference{"X", 0}));
  EXPECT_THAT(merged.disabled, ElementsAre(PluginReference{"A", 0}));
}

TEST(Defaults, MergingCanDropAllDefaults) {
  const PluginSet defaults{.enabled = {{"A"}, {"B"}}, .disabled = {}};

  const PluginSet merged = MergePluginSet(defaults, {.enabled = {{"B"}}, .disabled = {{"*"}}});

  EXPECT_THAT(Names(merged.enabled), ElementsAre("B"));
}

TEST(Defaults, MergingKeepsRepetitions) {
  const PluginSet defaults{.enabled = {{"A"}, {"B"}}, .disabled = {}};

  const PluginSet merged = MergePluginSet(defaults, {.enabled = {{"A", 1}, {"A", 2}}, .disabled = {}});

  EXPECT_THAT(merged.enabled, ElementsAre(PluginReference{"A", 2}, PluginReference{"B", 0}, PluginReference{"A", 1}));
}

TEST(Defaults, GatesAddPlugins) {
  const auto gates = FeatureGates::Create({{"GenericWorkload", true},
                                           {"TopologyAwareWorkloadScheduling", true},
                                           {"InPlacePodVerticalScalingSchedulerPreemption", true}});
  ASSERT_TRUE(gates.has_value());

  EXPECT_THAT(
      Names(DefaultPlugins(*gates, plugins::BuiltIn()).multi_point.enabled),
      ElementsAre("SchedulingGates", "PrioritySort", "NodeName", "NodeUnschedulable", "TaintToleration", "NodeAffinity",
                  "NodePorts", "DeferredPodScheduling", "NodeResourcesFit", "VolumeRestrictions", "NodeVolumeLimits",
                  "VolumeBinding", "VolumeZone", "PodTopologySpread", "InterPodAffinity", "DynamicResources",
                  "DefaultPreemption", "NodeResourcesBalancedAllocation", "ImageLocality", "DefaultBinder",
                  "NodeDeclaredFeatures", "GangScheduling", "TopologyPlacementGenerator", "PodGroupPodsCount"));
  EXPECT_EQ(DefaultPlugins(FeatureGates(), plugins::BuiltIn()).multi_point.enabled.size(), 20u);
}

TEST(Defaults, GatesDecideAboutArguments) {
  const auto gates = FeatureGates::Create({{"StorageCapacityScoring", false}, {"DRASchedulerFilterTimeout", false}});
  ASSERT_TRUE(gates.has_value());

  EXPECT_TRUE(
      DefaultArgs("VolumeBinding", *gates, plugins::BuiltIn()).As<plugins::VolumeBinding::Args>()->shape.empty());
  EXPECT_EQ(
      DefaultArgs("VolumeBinding", FeatureGates(), plugins::BuiltIn()).As<plugins::VolumeBinding::Args>()->shape.size(),
      2u);
  EXPECT_FALSE(DefaultArgs("DynamicResources", *gates, plugins::BuiltIn())
                   .As<plugins::DynamicResources::Args>()
                   ->filter_timeout);
  EXPECT_TRUE(DefaultArgs("NodeName", *gates, plugins::BuiltIn()).empty());
}

}  // namespace
}  // namespace berth::config
