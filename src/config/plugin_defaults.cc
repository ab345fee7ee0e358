// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <map>
#include <set>

#include "config/defaults.h"

namespace berth::config {

using framework::Gate;
using framework::PluginReference;
using framework::PluginSet;

namespace {

void InsertBefore(std::vector<PluginReference>& plugins, std::string_view successor, PluginReference plugin) {
  plugins.insert(std::ranges::find(plugins, successor, &PluginReference::name), std::move(plugin));
}

}  // namespace

framework::Plugins DefaultPlugins(const framework::FeatureGates& gates) {
  framework::Plugins plugins;
  std::vector<PluginReference>& enabled = plugins.multi_point.enabled;
  enabled = {
      {"SchedulingGates"},      {"PrioritySort"},        {"NodeName"},          {"NodeUnschedulable"},
      {"TaintToleration", 3},   {"NodeAffinity", 2},     {"NodePorts"},         {"NodeResourcesFit", 1},
      {"VolumeRestrictions"},   {"NodeVolumeLimits"},    {"VolumeBinding"},     {"VolumeZone"},
      {"PodTopologySpread", 2}, {"InterPodAffinity", 2}, {"DefaultPreemption"}, {"NodeResourcesBalancedAllocation", 1},
      {"ImageLocality", 1},     {"DefaultBinder"},
  };
  if (gates.Enabled(Gate::kNodeDeclaredFeatures)) enabled.push_back({"NodeDeclaredFeatures"});
  if (gates.Enabled(Gate::kInPlacePodVerticalScalingSchedulerPreemption)) {
    InsertBefore(enabled, "NodeResourcesFit", {"DeferredPodScheduling"});
  }
  // Freeing an idle claim is tried before pods are evicted.
  if (gates.Enabled(Gate::kDynamicResourceAllocation))
    InsertBefore(enabled, "DefaultPreemption", {"DynamicResources", 2});
  if (gates.Enabled(Gate::kGenericWorkload)) enabled.push_back({"GangScheduling"});
  if (gates.Enabled(Gate::kTopologyAwareWorkloadScheduling)) {
    enabled.push_back({"TopologyPlacementGenerator"});
    enabled.push_back({"PodGroupPodsCount", 1});
  }
  return plugins;
}

PluginSet MergePluginSet(const PluginSet& defaults, const PluginSet& custom) {
  PluginSet merged;
  std::set<std::string_view> disabled;
  for (const PluginReference& plugin : custom.disabled) {
    merged.disabled.push_back({plugin.name});
    disabled.insert(plugin.name);
  }

  std::map<std::string_view, size_t> custom_index;  // Of equal names the last.
  for (size_t i = 0; i < custom.enabled.size(); ++i) custom_index[custom.enabled[i].name] = i;
  std::set<size_t> replaced;
  for (const PluginReference& plugin : defaults.enabled) {
    if (disabled.contains("*") || disabled.contains(plugin.name)) continue;
    const auto own = custom_index.find(plugin.name);
    if (own == custom_index.end()) {
      merged.enabled.push_back(plugin);
    } else {
      merged.enabled.push_back(custom.enabled[own->second]);
      replaced.insert(own->second);
    }
  }
  // A plugin enabled twice stays twice: building the profile reports it.
  for (size_t i = 0; i < custom.enabled.size(); ++i) {
    if (!replaced.contains(i)) merged.enabled.push_back(custom.enabled[i]);
  }
  return merged;
}

}  // namespace berth::config
