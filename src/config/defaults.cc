// SPDX-License-Identifier: Apache-2.0
#include "config/defaults.h"

#include <algorithm>
#include <set>
#include <utility>

#include "framework/plugin_expansion.h"

namespace berth::config {

using framework::ProfileConfiguration;

namespace {

template <class T>
void SetIfZero(T& value, const T& fallback) {
  if (value == T()) value = fallback;
}

void DefaultLeaderElection(framework::LeaderElectionConfiguration& config) {
  const framework::LeaderElectionConfiguration defaults;
  SetIfZero(config.lease_duration, defaults.lease_duration);
  SetIfZero(config.renew_deadline, defaults.renew_deadline);
  SetIfZero(config.retry_period, defaults.retry_period);
  SetIfZero(config.resource_lock, defaults.resource_lock);
  SetIfZero(config.resource_name, defaults.resource_name);
  SetIfZero(config.resource_namespace, defaults.resource_namespace);
}

void DefaultClientConnection(framework::ClientConnectionConfiguration& config) {
  const framework::ClientConnectionConfiguration defaults;
  SetIfZero(config.content_type, defaults.content_type);
  if (!(config.qps < 0 || config.qps > 0)) config.qps = defaults.qps;
  SetIfZero(config.burst, defaults.burst);
}

// Plugins enabled at podGroupPostFilter alone get no arguments; upstream forgets them, and fails to build such a
// profile.
std::vector<std::string> PluginsWithArgs(framework::Plugins plugins) {
  plugins[framework::ExtensionPoint::kPodGroupPostFilter] = {};
  return framework::EnabledPluginNames(plugins);
}

void DefaultProfile(ProfileConfiguration& profile, const framework::FeatureGates& gates,
                    const framework::Registry& registry) {
  framework::Plugins merged = DefaultPlugins(gates, registry);
  merged.multi_point = MergePluginSet(merged.multi_point, profile.plugins.multi_point);
  for (const framework::ExtensionPoint point : framework::kExtensionPoints) {
    merged[point] = MergePluginSet(merged[point], profile.plugins[point]);
  }
  profile.plugins = std::move(merged);

  std::set<std::string> configured;
  for (framework::PluginConfig& entry : profile.plugin_config) {
    configured.insert(entry.name);
    entry.args.Complete(gates);
  }
  for (const std::string& name : PluginsWithArgs(profile.plugins)) {
    if (configured.contains(name)) continue;
    framework::PluginArgs args = DefaultArgs(name, gates, registry);
    if (!args.empty()) profile.plugin_config.push_back({name, std::move(args)});
  }
}

}  // namespace

framework::PluginArgs DefaultArgs(std::string_view plugin, const framework::FeatureGates& gates,
                                  const framework::Registry& registry) {
  const framework::PluginRow* row = registry.Find(plugin);
  if (row == nullptr || row->args == nullptr || row->args->optional) return {};
  framework::PluginArgs args(*row->args);
  args.Complete(gates);
  return args;
}

void ApplyDefaults(framework::SchedulerConfiguration& configuration, const framework::FeatureGates& gates,
                   const framework::Registry& registry) {
  DefaultLeaderElection(configuration.leader_election);
  DefaultClientConnection(configuration.client_connection);
  for (ProfileConfiguration& profile : configuration.profiles) DefaultProfile(profile, gates, registry);
}

}  // namespace berth::config
