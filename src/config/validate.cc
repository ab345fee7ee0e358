// SPDX-License-Identifier: Apache-2.0
#include "config/validate.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>

#include "config/config.h"

namespace berth::config {

using framework::FieldErrors;
using framework::Index;
using framework::JsonString;
using framework::ProfileConfiguration;
using framework::SchedulerConfiguration;

namespace {

constexpr std::array<std::string_view, 4> kRemovedPlugins = {"AzureDiskLimits", "CinderLimits", "EBSLimits",
                                                             "GCEPDLimits"};

bool IsRemoved(std::string_view plugin) { return std::ranges::find(kRemovedPlugins, plugin) != kRemovedPlugins.end(); }

void RemovedPlugin(const std::string& path, std::string_view plugin, FieldErrors& errors) {
  errors.Invalid(
      path, api::GoQuote(plugin),
      fmt::format("was invalid in version \"v1\" (KubeSchedulerConfiguration is version \"{}\")", kApiVersion));
}

void ValidateLeaderElection(const framework::LeaderElectionConfiguration& config, FieldErrors& errors) {
  if (!config.leader_elect) return;
  const auto check_positive = [&](const std::string& path, Duration duration) {
    if (duration <= Duration()) errors.Invalid(path, JsonString(FormatDuration(duration)), "must be greater than zero");
  };
  check_positive("leaderElection.leaseDuration", config.lease_duration);
  check_positive("leaderElection.renewDeadline", config.renew_deadline);
  check_positive("leaderElection.retryPeriod", config.retry_period);
  if (config.lease_duration <= config.renew_deadline) {
    // Upstream prints the deadline as the bad value.
    errors.Invalid("leaderElection.leaseDuration", JsonString(FormatDuration(config.renew_deadline)),
                   "must be greater than `RenewDeadline`");
  }
  if (config.resource_lock.empty()) errors.Required("leaderElection.resourceLock");
  if (config.resource_namespace.empty()) errors.Required("leaderElection.resourceNamespace");
  if (config.resource_name.empty()) errors.Required("leaderElection.resourceName");
  if (config.resource_lock != "leases") {
    errors.Invalid("leaderElection.resourceLock", api::GoQuote(config.resource_lock),
                   R"(resourceLock value must be "leases")");
  }
}

void ValidatePercentage(const std::string& path, std::optional<int32_t> percentage, FieldErrors& errors) {
  if (percentage && (*percentage < 0 || *percentage > 100)) {
    errors.Invalid(path, *percentage, "not in valid range [0-100]");
  }
}

void ValidatePluginSets(const framework::Plugins& plugins, const std::string& path, FieldErrors& errors) {
  using enum framework::ExtensionPoint;
  for (const framework::ExtensionPoint point : framework::kExtensionPoints) {
    if (point == kPlacementGenerate || point == kPlacementScore) continue;  // Upstream does not look at these two.
    const std::vector<framework::PluginReference>& enabled = plugins[point].enabled;
    for (size_t i = 0; i < enabled.size(); ++i) {
      if (!IsRemoved(enabled[i].name)) continue;
      RemovedPlugin(fmt::format("{}.plugins.{}.enabled[{}]", path, framework::NamesOf(point).config, i),
                    enabled[i].name, errors);
    }
  }
}

void ValidateProfile(const ProfileConfiguration& profile, const std::string& path, const framework::FeatureGates& gates,
                     FieldErrors& errors) {
  if (profile.scheduler_name.empty()) errors.Required(path + ".schedulerName");
  ValidatePercentage(path + ".percentageOfNodesToScore", profile.percentage_of_nodes_to_score, errors);
  ValidatePluginSets(profile.plugins, path, errors);

  std::set<std::string_view> seen;
  for (size_t i = 0; i < profile.plugin_config.size(); ++i) {
    const framework::PluginConfig& entry = profile.plugin_config[i];
    const std::string entry_path = Index(path + ".pluginConfig", i);
    if (!seen.insert(entry.name).second) errors.Duplicate(entry_path, api::GoQuote(entry.name));
    if (IsRemoved(entry.name)) {
      RemovedPlugin(entry_path, entry.name, errors);
    } else if (!entry.args.checked_with_profile()) {
      entry.args.Validate({entry_path + ".args", gates, errors});
    }
  }
}

void ValidateProfiles(const std::vector<ProfileConfiguration>& profiles, const framework::FeatureGates& gates,
                      FieldErrors& errors) {
  std::set<std::string_view> names;
  for (size_t i = 0; i < profiles.size(); ++i) {
    const std::string path = Index("profiles", i);
    ValidateProfile(profiles[i], path, gates, errors);
    // Upstream hands the path of the other profile to its printer, which has nothing to show for it.
    if (!names.insert(profiles[i].scheduler_name).second) errors.Duplicate(path + ".schedulerName", "{}");
  }
  ValidateCommonQueueSort(profiles, errors);
}

}  // namespace

FieldErrors Validate(const SchedulerConfiguration& configuration, const framework::FeatureGates& gates) {
  FieldErrors errors;
  if (configuration.client_connection.burst < 0) {
    errors.Invalid("clientConnection.burst", configuration.client_connection.burst, "must be non-negative");
  }
  ValidateLeaderElection(configuration.leader_election, errors);
  if (configuration.parallelism <= 0) {
    errors.Invalid("parallelism", configuration.parallelism, "should be an integer value greater than zero");
  }
  ValidateProfiles(configuration.profiles, gates, errors);
  ValidatePercentage("percentageOfNodesToScore", configuration.percentage_of_nodes_to_score, errors);
  if (configuration.pod_initial_backoff_seconds <= 0) {
    errors.Invalid("podInitialBackoffSeconds", configuration.pod_initial_backoff_seconds, "must be greater than 0");
  }
  if (configuration.pod_max_backoff_seconds < configuration.pod_initial_backoff_seconds) {
    errors.Invalid("podMaxBackoffSeconds", configuration.pod_max_backoff_seconds,
                   "must be greater than or equal to PodInitialBackoffSeconds");
  }
  ValidateExtenders(configuration.extenders, errors);
  return errors;
}

}  // namespace berth::config
