// SPDX-License-Identifier: Apache-2.0
#include "config/policy/policy_profile.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <utility>

#include "framework/plugin_expansion.h"
#include "plugins/node_resources_fit/node_resources_fit.h"

namespace berth::config {

using framework::ExtenderConfiguration;
using framework::ExtensionPoint;
using framework::PluginReference;

namespace {

constexpr std::string_view kFitPlugin = "NodeResourcesFit";
constexpr Duration kExtenderTimeout = Seconds(5);

Result<void> CheckExtender(const ExtenderConfiguration& extender, const PolicyOptions& options) {
  const auto& tls = extender.tls_config;
  if (tls && tls->insecure && !(tls->ca_file.empty() && tls->ca_data.empty())) {
    return Invalid("specifying a root certificates file with the insecure flag is not allowed");
  }
  if (options.check_extender) return options.check_extender(extender);
  return {};
}

// Upstream's check, in arithmetic that wraps: a total below zero, of weights that did not fit into 32 bits, overflows
// whatever comes next.
bool TotalScoreCouldOverflow(const std::vector<PluginReference>& scores) {
  constexpr auto kMaxTotal = static_cast<uint64_t>(std::numeric_limits<int64_t>::max());
  constexpr int64_t kMaxNodeScore = 100;
  int64_t total = 0;
  for (const PluginReference& plugin : scores) {
    const int64_t highest = plugin.weight * kMaxNodeScore;
    if (highest > static_cast<int64_t>(kMaxTotal - static_cast<uint64_t>(total))) return true;
    total += highest;
  }
  return false;
}

}  // namespace

Result<std::vector<ExtenderConfiguration>> CompletePolicyExtenders(std::vector<ExtenderConfiguration> extenders,
                                                                   const PolicyOptions& options) {
  for (ExtenderConfiguration& extender : extenders) {
    if (extender.http_timeout == Duration()) extender.http_timeout = kExtenderTimeout;
    BERTH_CHECK_OK(CheckExtender(extender, options));
  }
  std::ranges::stable_partition(extenders, [](const ExtenderConfiguration& extender) { return !extender.ignorable; });
  return extenders;
}

std::vector<std::string> IgnoredByScheduler(const std::vector<ExtenderConfiguration>& extenders) {
  std::vector<std::string> ignored;
  for (const ExtenderConfiguration& extender : extenders) {
    for (const framework::ExtenderManagedResource& resource : extender.managed_resources) {
      if (resource.ignored_by_scheduler) ignored.push_back(resource.name);
    }
  }
  return ignored;
}

void ProfileBuilder::Enable(ExtensionPoint point, std::string_view plugin, int32_t weight) {
  std::vector<PluginReference>& enabled = profile_.plugins[point].enabled;
  if (std::ranges::find(enabled, plugin, &PluginReference::name) != enabled.end()) return;
  // A weight of zero, which a wrapped product may be, means 1.
  if (point == ExtensionPoint::kScore && weight == 0) weight = 1;
  enabled.push_back({std::string(plugin), point == ExtensionPoint::kScore ? weight : 0});
}

void ProfileBuilder::Enable(framework::PointSet points, std::string_view plugin, int32_t weight) {
  for (const ExtensionPoint point : framework::kExtensionPoints) {
    if (points.Has(point)) Enable(point, plugin, weight);
  }
}

bool ProfileBuilder::IsEnabled(std::string_view plugin) const {
  return std::ranges::any_of(profile_.plugins.points, [&](const framework::PluginSet& set) {
    return std::ranges::find(set.enabled, plugin, &PluginReference::name) != set.enabled.end();
  });
}

Result<framework::SchedulerConfiguration> ProfileBuilder::Build(const PolicyArguments& arguments,
                                                                std::vector<ExtenderConfiguration> extenders,
                                                                const PolicyOptions& options,
                                                                const framework::FeatureGates& gates) && {
  framework::SchedulerConfiguration configuration;
  const std::vector<std::string> ignored = IgnoredByScheduler(extenders);
  configuration.extenders = BERTH_TRY(CompletePolicyExtenders(std::move(extenders), options));
  if (!ignored.empty() && options.compat == PolicyCompat::kV122 && !IsEnabled(kFitPlugin)) {
    return Invalid("can't find NodeResourcesFitArgs in plugin config");
  }

  const std::string while_creating =
      fmt::format("initializing profiles: creating profile for scheduler name {}: ", options.scheduler_name);
  if (TotalScoreCouldOverflow(profile_.plugins[ExtensionPoint::kScore].enabled)) {
    return Invalid(while_creating + "total score of Score plugins could overflow");
  }
  for (const std::string& plugin : framework::EnabledPluginNames(profile_.plugins)) {
    Result<framework::PluginArgs> args = arguments.ArgsOf(plugin, options.compat, gates);
    if (!args) {
      return Invalid(fmt::format("{}initializing plugin \"{}\": {}", while_creating, plugin, args.error().message));
    }
    if (auto* fit = args->As<plugins::NodeResourcesFit::Args>()) fit->ignored_resources = ignored;
    if (args->empty()) continue;
    profile_.plugin_config.push_back({plugin, *std::move(args)});
  }
  profile_.scheduler_name = options.scheduler_name;
  configuration.profiles.push_back(std::move(profile_));
  return configuration;
}

}  // namespace berth::config
