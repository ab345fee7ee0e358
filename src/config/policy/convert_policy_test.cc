// SPDX-License-Identifier: Apache-2.0
#include "config/policy/convert_policy.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "config/config.h"
#include "plugins/node_affinity/node_affinity.h"
#include "plugins/node_resources_fit/node_resources_fit.h"

namespace berth::config {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

Result<ConvertedPolicy> ConvertText(std::string_view text, PolicyCompat compat = PolicyCompat::kV122) {
  PolicyOptions options;
  options.compat = compat;
  return ConvertPolicy(BERTH_TRY(DecodePolicy(text, compat)), options, framework::FeatureGates());
}

// The scored plugins of the configuration as a scheduler loads it.
framework::SchedulerConfiguration Reloaded(const ConvertedPolicy& converted) {
  auto loaded = Load(ToYaml(converted), framework::FeatureGates());
  EXPECT_TRUE(loaded) << loaded.error().message;
  return loaded ? *loaded : framework::SchedulerConfiguration();
}

template <class Args>
Args ArgsIn(const framework::SchedulerConfiguration& configuration, std::string_view plugin) {
  for (const framework::PluginConfig& config : configuration.profiles.at(0).plugin_config) {
    if (config.name == plugin) return *config.args.As<Args>();
  }
  ADD_FAILURE() << "no arguments of " << plugin;
  return {};
}

std::vector<std::string> Subjects(const ConvertedPolicy& converted) {
  std::vector<std::string> subjects;
  for (const ConversionNote& note : converted.notes) subjects.push_back(note.subject);
  return subjects;
}

TEST(ConvertPolicy, ResourceScoringBecomesAStrategyOfNodeResourcesFit) {
  const auto converted = ConvertText(R"({"apiVersion":"v1","predicates":[],"priorities":[{"name":"Pack","weight":4,
      "argument":{"requestedToCapacityRatioArguments":{"shape":[{"utilization":0,"score":0},{"utilization":100,"score":10}],
      "resources":[{"name":"cpu","weight":3}]}}}]})");

  ASSERT_TRUE(converted);
  EXPECT_TRUE(converted->notes.empty());
  const auto loaded = Reloaded(*converted);
  const auto& scores = loaded.profiles.at(0).plugins[framework::ExtensionPoint::kScore].enabled;
  EXPECT_THAT(scores, ElementsAre(framework::PluginReference{"NodeResourcesFit", 4}));
  const auto args = ArgsIn<plugins::NodeResourcesFit::Args>(loaded, "NodeResourcesFit");
  EXPECT_EQ(args.scoring_strategy.type, "RequestedToCapacityRatio");
  EXPECT_THAT(args.scoring_strategy.resources, ElementsAre(framework::ResourceSpec{"cpu", 3}));
}

TEST(ConvertPolicy, LabelsThatNodesMustHaveBecomeAnAddedAffinity) {
  const auto converted = ConvertText(R"({"apiVersion":"v1","priorities":[],"predicates":[{"name":"GeneralPredicates"},
      {"name":"A","argument":{"labelsPresence":{"labels":["rack"],"presence":true}}},
      {"name":"B","argument":{"labelsPresence":{"labels":["old"],"presence":false}}}]})");

  ASSERT_TRUE(converted);
  EXPECT_TRUE(converted->notes.empty());
  const auto args = ArgsIn<plugins::NodeAffinity::Args>(Reloaded(*converted), "NodeAffinity");
  ASSERT_TRUE(args.added_affinity && args.added_affinity->required);
  EXPECT_THAT(
      args.added_affinity->required->terms.at(0).match_expressions,
      ElementsAre(api::SelectorRequirement{"rack", "Exists", {}}, api::SelectorRequirement{"old", "DoesNotExist", {}}));
}

TEST(ConvertPolicy, WhatHasNoEquivalentIsLeftOutWithANote) {
  const auto converted = ConvertText(R"({"apiVersion":"v1","alwaysCheckAllPredicates":true,
      "predicates":[{"name":"Zone","argument":{"serviceAffinity":{"labels":["zone"]}}},{"name":"MaxEBSVolumeCount"}],
      "priorities":[{"name":"NodePreferAvoidPodsPriority","weight":1},{"name":"LeastRequestedPriority","weight":1},
        {"name":"MostRequestedPriority","weight":2},
        {"name":"Ssd","weight":1,"argument":{"labelPreference":{"label":"ssd","presence":true}}},
        {"name":"Racks","weight":1,"argument":{"serviceAntiAffinity":{"label":"rack"}}}]})");

  ASSERT_TRUE(converted);
  EXPECT_THAT(
      Subjects(*converted),
      ElementsAre("predicate Zone", "predicate MaxEBSVolumeCount", "priority NodePreferAvoidPodsPriority",
                  "priority Ssd", "priority Racks", "priority LeastRequestedPriority", "alwaysCheckAllPredicates"));
  const auto args = ArgsIn<plugins::NodeResourcesFit::Args>(Reloaded(*converted), "NodeResourcesFit");
  EXPECT_EQ(args.scoring_strategy.type, "MostAllocated");
  EXPECT_THAT(ToYaml(*converted), HasSubstr("# - no equivalent: predicate Zone: "));
}

TEST(ConvertPolicy, OfV116OnlyWhatWasEvaluatedIsConverted) {
  const auto converted = ConvertText(R"({"apiVersion":"v1","priorities":[],"predicates":[
      {"name":"Own","argument":{"labelsPresence":{"labels":["a"],"presence":true}}},
      {"name":"CheckNodeLabelPresence","argument":{"labelsPresence":{"labels":["b"],"presence":true}}}]})",
                                     PolicyCompat::kV116);

  ASSERT_TRUE(converted);
  EXPECT_EQ(Subjects(*converted).at(0), "predicate Own");
  const auto args = ArgsIn<plugins::NodeAffinity::Args>(Reloaded(*converted), "NodeAffinity");
  EXPECT_THAT(args.added_affinity->required->terms.at(0).match_expressions,
              ElementsAre(api::SelectorRequirement{"b", "Exists", {}}));
}

TEST(ConvertPolicy, ExtendersKeepWhatTheyManageAndTheFileSaysItOnce) {
  const auto converted = ConvertText(R"({"apiVersion":"v1","extenders":[{"urlPrefix":"http://x","filterVerb":"f",
      "managedResources":[{"name":"example.com/gpu","ignoredByScheduler":true}]}]})");

  ASSERT_TRUE(converted);
  const std::string yaml = ToYaml(*converted);
  EXPECT_EQ(yaml.find("ignoredResources"), std::string::npos);
  EXPECT_THAT(ArgsIn<plugins::NodeResourcesFit::Args>(Reloaded(*converted), "NodeResourcesFit").ignored_resources,
              ElementsAre("example.com/gpu"));
}

}  // namespace
}  // namespace berth::config
