// SPDX-License-Identifier: Apache-2.0
#include "config/policy/policy_v116.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "config/policy/policy_algorithm_v116.h"
#include "plugins/legacy/resource_allocation.h"

namespace berth::config {
namespace {

using framework::ExtensionPoint;
using framework::SchedulerConfiguration;
using testing::AllOf;
using testing::Contains;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::Not;

// `members` are those of the policy besides kind and apiVersion.
Result<SchedulerConfiguration> LoadV116(std::string_view members) {
  PolicyOptions options;
  options.compat = PolicyCompat::kV116;
  const std::string text = fmt::format(R"({{"kind": "Policy", "apiVersion": "v1", {}}})", members);
  return FromPolicy(BERTH_TRY(DecodePolicy(text, options.compat)), options, framework::FeatureGates());
}

std::vector<std::string> PluginsInV116(const SchedulerConfiguration& configuration, ExtensionPoint point) {
  std::vector<std::string> names;
  for (const framework::PluginReference& plugin : configuration.profiles[0].plugins[point].enabled) {
    names.push_back(plugin.weight == 0 ? plugin.name : plugin.name + "=" + std::to_string(plugin.weight));
  }
  return names;
}

std::string ErrorInV116(std::string_view members) {
  const Result<SchedulerConfiguration> configuration = LoadV116(members);
  return configuration ? "" : configuration.error().message;
}

TEST(PolicyV116, DefaultsAreThoseOfTheDefaultProvider) {
  const Result<SchedulerConfiguration> configuration = LoadV116(R"("extenders": [])");
  ASSERT_TRUE(configuration.has_value());

  EXPECT_THAT(
      PluginsInV116(*configuration, ExtensionPoint::kFilter),
      ElementsAre("CheckNodeUnschedulable", "GeneralPredicates", "NoDiskConflict", "PodToleratesNodeTaints",
                  "MaxEBSVolumeCount", "MaxGCEPDVolumeCount", "MaxCSIVolumeCountPred", "MaxAzureDiskVolumeCount",
                  "CheckVolumeBinding", "NoVolumeZoneConflict", "MatchInterPodAffinity"));
  EXPECT_THAT(PluginsInV116(*configuration, ExtensionPoint::kScore),
              ElementsAre("BalancedResourceAllocation=1", "ImageLocalityPriority=1", "InterPodAffinityPriority=1",
                          "LeastRequestedPriority=1", "NodeAffinityPriority=1", "NodePreferAvoidPodsPriority=10000",
                          "SelectorSpreadPriority=1", "TaintTolerationPriority=1"));
  EXPECT_EQ(configuration->extender_score_scale, 1);
  EXPECT_EQ(configuration->pod_max_in_unschedulable, Seconds(60));
}

TEST(PolicyV116, OnlyNamesOfTheOrderAreEvaluated) {
  const Result<SchedulerConfiguration> configuration = LoadV116(R"(
    "predicates": [
      {"name": "PodFitsPorts"},
      {"name": "Mine", "argument": {"labelsPresence": {"labels": ["a"], "presence": true}}},
      {"name": "CheckServiceAffinity", "argument": {"serviceAffinity": {"labels": ["zone"]}}},
      {"name": "GeneralPredicates", "argument": {"labelsPresence": {"labels": ["b"]}}},
      {"name": "GeneralPredicates"}],
    "priorities": [], "alwaysCheckAllPredicates": true)");
  ASSERT_TRUE(configuration.has_value());

  EXPECT_THAT(PluginsInV116(*configuration, ExtensionPoint::kFilter),
              ElementsAre("CheckNodeUnschedulable", "CheckNodeLabelPresence:GeneralPredicates",
                          "PodToleratesNodeTaints", "CheckServiceAffinity"));
  EXPECT_THAT(PluginsInV116(*configuration, ExtensionPoint::kScore), IsEmpty());
  EXPECT_TRUE(configuration->profiles[0].run_all_filters);
}

TEST(PolicyV116, PrioritiesWithArgumentsKeepTheirNames) {
  const Result<SchedulerConfiguration> configuration = LoadV116(R"(
    "priorities": [
      {"name": "Racks", "weight": 2, "argument": {"serviceAntiAffinity": {"label": "rack"}}},
      {"name": "EqualPriority", "weight": 3, "argument": {"labelPreference": {"label": "new", "presence": true}}},
      {"name": "EqualPriority", "weight": 4},
      {"name": "RequestedToCapacityRatioPriority", "weight": 1, "argument": {"requestedToCapacityRatioArguments": {
        "shape": [{"utilization": 0, "score": 0}, {"utilization": 100, "score": 10}],
        "resources": [{"name": "cpu"}, {"name": "cpu", "weight": 5}]}}}])");
  ASSERT_TRUE(configuration.has_value());

  EXPECT_THAT(PluginsInV116(*configuration, ExtensionPoint::kScore),
              ElementsAre("NodeLabelPriority:EqualPriority=4", "ServiceAntiAffinityPriority:Racks=2",
                          "RequestedToCapacityRatioPriority=1"));
  const auto& config = configuration->profiles[0].plugin_config;
  const auto ratio = std::ranges::find(config, "RequestedToCapacityRatioPriority", &framework::PluginConfig::name);
  ASSERT_NE(ratio, config.end());
  EXPECT_THAT(ratio->args.As<plugins::legacy::ResourceAllocation::RatioArgs>()->resources,
              ElementsAre(framework::ResourceSpec{"cpu", 5}));
}

TEST(PolicyV116, ErrorsAreWordedAsInV116) {
  EXPECT_EQ(
      ErrorInV116(R"("priorities": [{"name": "EqualPriority"}, {"name": "X", "weight": -1}])"),
      "couldn't create scheduler from policy: [Priority EqualPriority should have a positive weight applied to it "
      "or it has overflown, Priority X should have a positive weight applied to it or it has overflown]");
  EXPECT_EQ(ErrorInV116(R"("predicates": [{"name": "CheckNodeCondition"}])"),
            "Invalid configuration: Predicate type not found for CheckNodeCondition");
  EXPECT_EQ(ErrorInV116(R"("predicates": [{"name": "x", "argument": {"labelsPresence": {}}}])"),
            "Algorithm name x does not match the name validation regexp \"^[a-zA-Z0-9]([-a-zA-Z0-9]*[a-zA-Z0-9])$\".");
  EXPECT_EQ(ErrorInV116(R"("priorities": [{"name": "Own", "weight": 1, "argument": {}}])"),
            "Exactly 1 priority argument is required, numArgs: 0, Priority: Own");
  EXPECT_EQ(ErrorInV116(R"("hardPodAffinitySymmetricWeight": 101)"),
            "couldn't create scheduler from policy: invalid hardPodAffinitySymmetricWeight: 101, must be in the range "
            "1-100");
  EXPECT_EQ(ErrorInV116(R"("priorities": [{"name": "Own", "weight": 1,
                      "argument": {"requestedToCapacityRatioArguments": {"shape": [{"score": 11}]}}}])"),
            "invalid RequestedToCapacityRatioPriority arguments: score valuses not be greater than 10. Score[0]==11");
  EXPECT_EQ(ErrorInV116(R"("priorities": [{"name": "EqualPriority", "weight": 900000000000000000},
                                       {"name": "ImageLocalityPriority", "weight": 900000000000000000}])"),
            "couldn't create scheduler from policy: total priority of priority functions has overflown");
}

TEST(PolicyV116, FatalErrorsHaveACodeOfTheirOwn) {
  const PolicyOptions options;
  Policy policy;
  policy.predicates.emplace().push_back({.name = "NoSuchPredicate", .argument = {}});
  EXPECT_EQ(AlgorithmOfPolicyV116(policy, options).error().code, Code::kInternal);

  policy.predicates.reset();
  policy.hard_pod_affinity_symmetric_weight = -1;
  EXPECT_EQ(AlgorithmOfPolicyV116(policy, options).error().code, Code::kInvalid);
}

TEST(PolicyV116, ClusterAutoscalerProviderPrefersFullNodes) {
  PolicyOptions options;
  options.compat = PolicyCompat::kV116;
  const auto configuration = FromProvider("ClusterAutoscalerProvider", options, framework::FeatureGates());
  ASSERT_TRUE(configuration.has_value());

  EXPECT_THAT(PluginsInV116(*configuration, ExtensionPoint::kScore),
              AllOf(Contains("MostRequestedPriority=1"), Not(Contains("LeastRequestedPriority=1"))));
  EXPECT_EQ(FromProvider("Other", options, framework::FeatureGates()).error().message,
            "couldn't create scheduler using provider \"Other\": plugin \"Other\" has not been registered");
}

}  // namespace
}  // namespace berth::config
