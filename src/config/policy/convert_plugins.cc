// SPDX-License-Identifier: Apache-2.0
#include "config/policy/convert_plugins.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "config/defaults.h"
#include "plugins/legacy/node_label.h"
#include "plugins/legacy/resource_allocation.h"
#include "plugins/node_affinity/node_affinity.h"
#include "plugins/node_resources_fit/node_resources_fit.h"
#include "plugins/registry.h"

namespace berth::config {

using framework::ExtensionPoint;
using framework::PluginConfig;
using framework::PluginReference;
using framework::ProfileConfiguration;
using plugins::ScoringStrategy;
using NodeResourcesFitArgs = plugins::NodeResourcesFit::Args;

namespace {

constexpr int64_t kResourceWeightMax = 100;

std::vector<PluginReference>& EnabledAt(ProfileConfiguration& profile, ExtensionPoint point) {
  return profile.plugins[point].enabled;
}

void EnableAt(ProfileConfiguration& profile, ExtensionPoint point, const std::string& plugin) {
  std::vector<PluginReference>& enabled = EnabledAt(profile, point);
  if (std::ranges::find(enabled, plugin, &PluginReference::name) == enabled.end()) enabled.push_back({plugin});
}

// The arguments of `plugin`, taken from the profile; absent if there are none.
template <class T>
std::optional<T> TakeArgs(ProfileConfiguration& profile, std::string_view plugin) {
  const auto it = std::ranges::find(profile.plugin_config, plugin, &PluginConfig::name);
  if (it == profile.plugin_config.end()) return std::nullopt;
  std::optional<T> args = std::move(*it->args.As<T>());
  profile.plugin_config.erase(it);
  return args;
}

template <class T>
T& ArgsOf(ProfileConfiguration& profile, const std::string& plugin) {
  const auto it = std::ranges::find(profile.plugin_config, plugin, &PluginConfig::name);
  if (it != profile.plugin_config.end()) return *it->args.As<T>();
  profile.plugin_config.push_back({plugin, T()});
  return *profile.plugin_config.back().args.As<T>();
}

// Puts NodeResourcesFit at the place where `plugin` scores.
void ScoreWithFit(ProfileConfiguration& profile, std::string_view plugin, ScoringStrategy strategy) {
  std::vector<PluginReference>& scores = EnabledAt(profile, ExtensionPoint::kScore);
  std::ranges::find(scores, plugin, &PluginReference::name)->name = "NodeResourcesFit";
  EnableAt(profile, ExtensionPoint::kPreScore, "NodeResourcesFit");
  ArgsOf<NodeResourcesFitArgs>(profile, "NodeResourcesFit").scoring_strategy = std::move(strategy);
}

ScoringStrategy StrategyOf(plugins::legacy::ResourceAllocation::RatioArgs args, std::vector<ConversionNote>& notes) {
  ScoringStrategy strategy;
  strategy.type = strategy.kRequestedToCapacityRatio;
  strategy.requested_to_capacity_ratio.emplace().shape = std::move(args.shape);
  if (args.resources.empty()) return strategy;
  strategy.resources = std::move(args.resources);
  for (framework::ResourceSpec& resource : strategy.resources) {
    if (resource.weight <= kResourceWeightMax) continue;
    resource.weight = kResourceWeightMax;
    notes.push_back({false, "the weight of resource " + resource.name, "weights go up to 100, so it is 100 now",
                     "divide all weights of resources by the same number"});
  }
  return strategy;
}

// Nodes must match one term, so all labels are in one.
void RequireLabels(ProfileConfiguration& profile, const plugins::legacy::NodeLabel::Args& args) {
  api::NodeSelectorTerm term;
  for (const std::string& label : args.present_labels) term.match_expressions.push_back({label, "Exists", {}});
  for (const std::string& label : args.absent_labels) term.match_expressions.push_back({label, "DoesNotExist", {}});
  if (term.match_expressions.empty()) return;
  api::NodeAffinity affinity;
  affinity.required = api::NodeSelector{{std::move(term)}};
  ArgsOf<plugins::NodeAffinity::Args>(profile, "NodeAffinity").added_affinity = std::move(affinity);
}

// Puts NodeAffinity at the place where NodeLabel filters.
void ReplaceNodeLabel(ProfileConfiguration& profile, std::vector<ConversionNote>& notes) {
  const std::optional<plugins::legacy::NodeLabel::Args> args =
      TakeArgs<plugins::legacy::NodeLabel::Args>(profile, "NodeLabel");
  if (!args) return;
  std::vector<PluginReference>& filters = EnabledAt(profile, ExtensionPoint::kFilter);
  const auto place = std::ranges::find(filters, "NodeLabel", &PluginReference::name);
  const bool has_affinity = std::ranges::find(filters, "NodeAffinity", &PluginReference::name) != filters.end();
  if (has_affinity) {
    filters.erase(place);
  } else {
    place->name = "NodeAffinity";
    notes.push_back({true, "predicates with argument labelsPresence",
                     "NodeAffinity takes their place, and heeds the nodeSelector and affinity of pods besides", ""});
  }
  EnableAt(profile, ExtensionPoint::kPreFilter, "NodeAffinity");
  RequireLabels(profile, *args);
}

// A policy's weights are cut to 32 bits, which may have made them negative.
void MakeWeightsPositive(ProfileConfiguration& profile, std::vector<ConversionNote>& notes) {
  for (PluginReference& plugin : EnabledAt(profile, ExtensionPoint::kScore)) {
    if (plugin.weight > 0) continue;
    plugin.weight = 1;
    notes.push_back({false, "the weight of " + plugin.name, "it was negative in 32 bits, and is 1 now", ""});
  }
}

// What loading fills in again: defaults, and the resources that extenders manage alone.
void LeaveOutDefaults(ProfileConfiguration& profile, const framework::FeatureGates& gates) {
  for (PluginConfig& config : profile.plugin_config) {
    if (auto* fit = config.args.As<NodeResourcesFitArgs>()) fit->ignored_resources.clear();
  }
  std::erase_if(profile.plugin_config, [&](const PluginConfig& config) {
    return config.args == DefaultArgs(config.name, gates, plugins::BuiltIn());
  });
}

}  // namespace

void ReplaceLegacyPlugins(framework::SchedulerConfiguration& configuration, const framework::FeatureGates& gates,
                          std::vector<ConversionNote>& notes) {
  ProfileConfiguration& profile = configuration.profiles.front();
  using ResourceAllocationArgs = plugins::legacy::ResourceAllocation::Args;
  if (TakeArgs<ResourceAllocationArgs>(profile, "NodeResourcesLeastAllocated")) {
    ScoreWithFit(profile, "NodeResourcesLeastAllocated", ScoringStrategy());
  }
  if (TakeArgs<ResourceAllocationArgs>(profile, "NodeResourcesMostAllocated")) {
    ScoringStrategy packing;
    packing.type = packing.kMostAllocated;
    ScoreWithFit(profile, "NodeResourcesMostAllocated", packing);
  }
  if (auto ratio = TakeArgs<plugins::legacy::ResourceAllocation::RatioArgs>(profile, "RequestedToCapacityRatio")) {
    ScoreWithFit(profile, "RequestedToCapacityRatio", StrategyOf(*std::move(ratio), notes));
  }
  ReplaceNodeLabel(profile, notes);
  MakeWeightsPositive(profile, notes);
  LeaveOutDefaults(profile, gates);
  std::ranges::sort(profile.plugin_config, {}, &PluginConfig::name);
}

}  // namespace berth::config
