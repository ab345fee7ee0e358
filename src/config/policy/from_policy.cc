// SPDX-License-Identifier: Apache-2.0
#include "config/policy/from_policy.h"

#include <algorithm>

#include "config/policy/policy_v116.h"
#include "config/policy/policy_v122.h"
#include "plugins/registry.h"

namespace berth::config {

using framework::ExtensionPoint;
using framework::PluginReference;
using framework::SchedulerConfiguration;

namespace {

void EnableOnce(framework::Plugins& plugins, ExtensionPoint point, const std::string& plugin) {
  std::vector<PluginReference>& enabled = plugins[point].enabled;
  if (std::ranges::find(enabled, plugin, &PluginReference::name) == enabled.end()) enabled.push_back({plugin});
}

// A plugin that works at `point` gets to prepare itself at `before`, if it can.
void EnableBefore(framework::Plugins& plugins, ExtensionPoint point, ExtensionPoint before) {
  for (const PluginReference& plugin : plugins[point].enabled) {
    const framework::PluginRow* row = plugins::BuiltIn().Find(plugin.name);
    if (row != nullptr && row->points.Has(before)) EnableOnce(plugins, before, plugin.name);
  }
}

// The plugins of the era that still exist have learnt to prepare what they need before they look at nodes, and pods
// have learnt to wait before they are scheduled at all: an API server of today refuses to bind a pod that still has
// gates.
SchedulerConfiguration WithPointsOfToday(SchedulerConfiguration configuration) {
  for (framework::ProfileConfiguration& profile : configuration.profiles) {
    EnableBefore(profile.plugins, ExtensionPoint::kFilter, ExtensionPoint::kPreFilter);
    EnableBefore(profile.plugins, ExtensionPoint::kScore, ExtensionPoint::kPreScore);
    EnableBefore(profile.plugins, ExtensionPoint::kPostFilter, ExtensionPoint::kPreEnqueue);
    EnableOnce(profile.plugins, ExtensionPoint::kPreEnqueue, "SchedulingGates");
  }
  return configuration;
}

}  // namespace

Result<SchedulerConfiguration> FromPolicy(const Policy& policy, const PolicyOptions& options,
                                          const framework::FeatureGates& gates) {
  if (options.compat == PolicyCompat::kV116) return FromPolicyV116(policy, options, gates);
  return WithPointsOfToday(BERTH_TRY(TranslatePolicy(policy, options, gates)));
}

Result<SchedulerConfiguration> FromProvider(std::string_view name, const PolicyOptions& options,
                                            const framework::FeatureGates& gates) {
  if (options.compat == PolicyCompat::kV116) return FromProviderV116(name, options, gates);
  return WithPointsOfToday(BERTH_TRY(TranslateProvider(name, options, gates)));
}

}  // namespace berth::config
