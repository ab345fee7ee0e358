// SPDX-License-Identifier: Apache-2.0
#include "config/complete.h"

#include <fmt/format.h>

#include <algorithm>

#include "config/validate.h"
#include "framework/plugin_expansion.h"
#include "plugins/node_resources_fit/node_resources_fit.h"

namespace berth::config {

using framework::FieldErrors;
using framework::PluginArgs;
using framework::PluginConfig;
using framework::ProfileConfiguration;

namespace {

constexpr Duration kDefaultExtenderTimeout = Seconds(5);

const PluginConfig* FindConfig(const ProfileConfiguration& profile, std::string_view plugin) {
  const auto it = std::ranges::find(profile.plugin_config, plugin, &PluginConfig::name);
  return it == profile.plugin_config.end() ? nullptr : &*it;
}

// What the plugin says to missing arguments.
std::string MissingArgs(const framework::PluginRow& row) {
  if (!row.args->missing.empty()) return std::string(row.args->missing);
  return fmt::format("want args to be of type {}Args, got <nil>", row.name);
}

Result<void> CheckPluginArgs(const ProfileConfiguration& profile, const framework::PluginRow& row,
                             const framework::FeatureGates& gates) {
  if (row.args == nullptr) return {};
  const PluginConfig* config = FindConfig(profile, row.name);
  FieldErrors errors;
  if (config != nullptr) {
    config->args.Validate({"", gates, errors});
  } else if (!row.args->optional) {
    errors.Add(MissingArgs(row));
  }
  if (const std::optional<Error> error = errors.Join()) {
    return Invalid(fmt::format("initializing plugin \"{}\": {}", row.name, error->message));
  }
  return {};
}

// The profile's plugins as the framework sees them, with its arguments checked.
Result<framework::ExpandedPlugins> BuildProfile(ProfileConfiguration& profile, const framework::FeatureGates& gates,
                                                const framework::Registry& registry) {
  std::vector<PluginConfig> completed;
  for (const std::string& plugin : framework::EnabledPluginNames(profile.plugins)) {
    const framework::PluginRow* row = registry.Find(plugin);
    if (row == nullptr) continue;
    BERTH_CHECK_OK(CheckPluginArgs(profile, *row, gates));
    const PluginConfig* config = FindConfig(profile, plugin);
    if (config != nullptr && !config->args.empty()) completed.push_back(*config);
  }
  framework::ExpandedPlugins expanded =
      BERTH_TRY(framework::ExpandPlugins(profile.plugins, profile.scheduler_name, registry));
  profile.plugin_config = std::move(completed);
  return expanded;
}

PluginArgs ArgsOf(const ProfileConfiguration& profile, std::string_view plugin) {
  const PluginConfig* config = FindConfig(profile, plugin);
  return config == nullptr ? PluginArgs() : config->args;
}

}  // namespace

Result<void> CompleteExtenders(framework::SchedulerConfiguration& configuration) {
  std::vector<std::string> ignored;
  for (framework::ExtenderConfiguration& extender : configuration.extenders) {
    if (extender.http_timeout == Duration()) extender.http_timeout = kDefaultExtenderTimeout;
    const bool has_ca =
        extender.tls_config && !(extender.tls_config->ca_file.empty() && extender.tls_config->ca_data.empty());
    if (has_ca && extender.tls_config->insecure) {
      return Invalid(
          "couldn't build extenders: specifying a root certificates file with the insecure flag is not allowed");
    }
    for (const framework::ExtenderManagedResource& resource : extender.managed_resources) {
      if (resource.ignored_by_scheduler) ignored.push_back(resource.name);
    }
  }
  if (ignored.empty()) return {};

  for (ProfileConfiguration& profile : configuration.profiles) {
    const auto it = std::ranges::find(profile.plugin_config, "NodeResourcesFit", &PluginConfig::name);
    if (it == profile.plugin_config.end()) {
      return Invalid("couldn't build extenders: can't find NodeResourcesFitArgs in plugin config");
    }
    it->args.As<plugins::NodeResourcesFit::Args>()->ignored_resources = ignored;
  }
  return {};
}

Result<void> CompleteProfiles(framework::SchedulerConfiguration& configuration, const framework::FeatureGates& gates,
                              const framework::Registry& registry) {
  std::string queue_sort;
  PluginArgs queue_sort_args;
  for (ProfileConfiguration& profile : configuration.profiles) {
    const auto expanded = BuildProfile(profile, gates, registry);
    if (!expanded) {
      return Invalid(fmt::format("initializing profiles: creating profile for scheduler name {}: {}",
                                 profile.scheduler_name, expanded.error().message));
    }
    const std::string& name = (*expanded)[framework::ExtensionPoint::kQueueSort].front().name;
    if (&profile == &configuration.profiles.front()) {
      queue_sort = name;
      queue_sort_args = ArgsOf(profile, name);
    } else if (name != queue_sort) {
      return Invalid(fmt::format("initializing profiles: different queue sort plugins for profile {}: {}, first: {}",
                                 api::GoQuote(profile.scheduler_name), api::GoQuote(name), api::GoQuote(queue_sort)));
    } else if (ArgsOf(profile, name) != queue_sort_args) {
      return Invalid(fmt::format("initializing profiles: different queue sort plugin args for profile {}",
                                 api::GoQuote(profile.scheduler_name)));
    }
  }
  return {};
}

}  // namespace berth::config
