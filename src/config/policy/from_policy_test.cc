// SPDX-License-Identifier: Apache-2.0
// The recordings in tests/conformance cover the translation; here are the parts that they do not reach.
#include "config/policy/from_policy.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "plugins/inter_pod_affinity/inter_pod_affinity.h"
#include "plugins/legacy/volume_count_limits.h"

namespace berth::config {
namespace {

using framework::ExtensionPoint;
using testing::Contains;
using testing::ElementsAre;

Result<framework::SchedulerConfiguration> Translated(std::string_view text, PolicyOptions options = {}) {
  return FromPolicy(BERTH_TRY(DecodePolicy(text, options.compat)), options, framework::FeatureGates());
}

std::vector<std::string> NamesAt(const framework::SchedulerConfiguration& configuration, ExtensionPoint point) {
  std::vector<std::string> names;
  for (const auto& plugin : configuration.profiles.at(0).plugins[point].enabled) names.push_back(plugin.name);
  return names;
}

TEST(FromPolicy, PluginsPrepareWhereTheyDoToday) {
  const auto configuration = Translated(R"({"apiVersion":"v1","predicates":[{"name":"NoDiskConflict"}],"priorities":[
                     {"name":"BalancedResourceAllocation","weight":3}]})");

  ASSERT_TRUE(configuration);
  EXPECT_THAT(NamesAt(*configuration, ExtensionPoint::kFilter),
              ElementsAre("NodeUnschedulable", "VolumeRestrictions", "TaintToleration"));
  EXPECT_THAT(NamesAt(*configuration, ExtensionPoint::kPreFilter), Contains("VolumeRestrictions"));
  EXPECT_THAT(NamesAt(*configuration, ExtensionPoint::kPreScore), Contains("NodeResourcesBalancedAllocation"));
  EXPECT_THAT(NamesAt(*configuration, ExtensionPoint::kPreEnqueue), Contains("SchedulingGates"));
  EXPECT_EQ(configuration->profiles[0].plugins[ExtensionPoint::kScore].enabled[0].weight, 3);
}

TEST(FromPolicy, TakesNameAndVolumeLimitFromItsOptions) {
  PolicyOptions options;
  options.scheduler_name = "mine";
  options.max_pd_volumes = 7;

  const auto configuration = Translated("", options);

  ASSERT_TRUE(configuration);
  const framework::ProfileConfiguration& profile = configuration->profiles.at(0);
  EXPECT_EQ(profile.scheduler_name, "mine");
  EXPECT_THAT(profile.plugin_config, Contains(framework::PluginConfig{
                                         "EBSLimits", plugins::legacy::VolumeCountLimits::Args{.max_pd_volumes = 7}}));
}

TEST(FromPolicy, ExtendersAreCheckedOneByOneAndCalledInOrder) {
  const char* const kText = R"({"apiVersion":"v1","extenders":[{"urlPrefix":"a","ignorable":true},{"urlPrefix":"b"}]})";
  PolicyOptions options;
  std::vector<std::string> checked;
  options.check_extender = [&](const framework::ExtenderConfiguration& extender) -> Result<void> {
    checked.push_back(extender.url_prefix);
    return {};
  };

  const auto configuration = Translated(kText, options);
  ASSERT_TRUE(configuration);
  EXPECT_THAT(checked, ElementsAre("a", "b"));
  EXPECT_EQ(configuration->extenders.at(0).url_prefix, "b");
  EXPECT_EQ(configuration->extenders.at(0).http_timeout, Seconds(5));

  options.check_extender = [](const framework::ExtenderConfiguration&) -> Result<void> { return Invalid("no"); };
  EXPECT_EQ(Translated(kText, options).error().message, "couldn't create scheduler from policy: no");
}

TEST(FromPolicy, WeightsThatWrappedBelowZeroAreAllowedOnlyAtTheEnd) {
  const auto alone =
      Translated(R"({"apiVersion":"v1","priorities":[{"name":"TaintTolerationPriority","weight":2147483648}]})");
  const auto before =
      Translated(R"({"apiVersion":"v1","priorities":[{"name":"ImageLocalityPriority","weight":2147483648},
                                     {"name":"TaintTolerationPriority","weight":1}]})");

  EXPECT_TRUE(alone);
  EXPECT_EQ(before.error().message,
            "couldn't create scheduler from policy: initializing profiles: creating profile for scheduler name "
            "default-scheduler: total score of Score plugins could overflow");
}

TEST(FromProvider, PacksForTheAutoscalerAndHeedsTheSymmetricWeight) {
  PolicyOptions options;
  options.hard_pod_affinity_weight = 9;

  const auto configuration = FromProvider("ClusterAutoscalerProvider", options, framework::FeatureGates());

  ASSERT_TRUE(configuration);
  EXPECT_THAT(NamesAt(*configuration, ExtensionPoint::kScore), Contains("NodeResourcesMostAllocated"));
  EXPECT_THAT(configuration->profiles[0].plugin_config,
              Contains(framework::PluginConfig{"InterPodAffinity", plugins::InterPodAffinity::Args{9, false}}));
  EXPECT_EQ(FromProvider("x", options, framework::FeatureGates()).error().message,
            "couldn't create scheduler using provider \"x\": algorithm provider \"x\" is not registered");
}

}  // namespace
}  // namespace berth::config
