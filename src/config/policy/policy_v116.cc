// SPDX-License-Identifier: Apache-2.0
#include "config/policy/policy_v116.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "config/policy/policy_algorithm_v116.h"
#include "config/policy/policy_profile.h"
#include "plugins/inter_pod_affinity/inter_pod_affinity.h"
#include "plugins/legacy/volume_count_limits.h"
#include "plugins/node_resources_fit/node_resources_fit.h"

namespace berth::config {
namespace {

namespace legacy = plugins::legacy;
using framework::ExtensionPoint;
using framework::PluginArgs;
using framework::ProfileConfiguration;
using framework::SchedulerConfiguration;

constexpr Duration kUnschedulableFlush = Seconds(60);

// A plugin that stands for an entry of the policy.
struct PluginOfEntry {
  std::string name;
  PluginArgs args;
};

// Entries with an argument are made by a plugin of their kind under the name they have.
std::string InstanceOf(std::string_view kind, std::string_view name) {
  return kind == name ? std::string(name) : fmt::format("{}:{}", kind, name);
}

bool CountsDisks(std::string_view predicate) {
  return predicate.starts_with("Max") && predicate.ends_with("VolumeCount");
}

PluginOfEntry PluginOf(const PolicyPredicate& predicate, const AlgorithmV116& algorithm, const PolicyOptions& options) {
  const std::string& name = predicate.name;
  if (!predicate.argument) {
    if (name == "GeneralPredicates" || name == "PodFitsResources") {
      plugins::NodeResourcesFit::Args args;
      args.ignored_resources = IgnoredByScheduler(algorithm.extenders);
      return {name, std::move(args)};
    }
    if (CountsDisks(name)) return {name, legacy::VolumeCountLimits::Args{options.max_pd_volumes}};
    return {name, {}};
  }
  if (predicate.argument->service_affinity) {
    legacy::ServiceAffinity::Args args;
    args.affinity_labels = predicate.argument->service_affinity->labels;
    return {InstanceOf("CheckServiceAffinity", name), std::move(args)};
  }
  const LabelsPresenceArgument& labels = *predicate.argument->labels_presence;
  legacy::NodeLabel::Args args;
  (labels.presence ? args.present_labels : args.absent_labels) = labels.labels;
  return {InstanceOf("CheckNodeLabelPresence", name), std::move(args)};
}

legacy::ResourceAllocation::RatioArgs RatioArgs(const RequestedToCapacityRatioArgument& argument) {
  legacy::ResourceAllocation::RatioArgs args;
  for (const auto& [utilization, score] : argument.shape) {
    args.shape.push_back({static_cast<int32_t>(utilization), static_cast<int32_t>(score)});
  }
  for (framework::ResourceSpec resource : argument.resources) {
    if (resource.weight == 0) resource.weight = 1;
    const auto same = std::ranges::find(args.resources, resource.name, &framework::ResourceSpec::name);
    if (same == args.resources.end()) {
      args.resources.push_back(std::move(resource));
    } else {
      same->weight = resource.weight;
    }
  }
  return args;
}

PluginOfEntry PluginOf(const PolicyPriority& priority, const AlgorithmV116& algorithm) {
  const std::string& name = priority.name;
  if (!priority.argument) {
    if (name == "InterPodAffinityPriority") {
      plugins::InterPodAffinity::Args args;
      args.hard_pod_affinity_weight = algorithm.hard_pod_affinity_weight;
      return {name, args};
    }
    return {name, {}};
  }
  if (priority.argument->service_anti_affinity) {
    legacy::ServiceAffinity::Args args;
    args.anti_affinity_labels_preference = {priority.argument->service_anti_affinity->label};
    return {InstanceOf("ServiceAntiAffinityPriority", name), std::move(args)};
  }
  if (priority.argument->label_preference) {
    legacy::NodeLabel::Args args;
    const auto& [label, presence] = *priority.argument->label_preference;
    (presence ? args.present_labels_preference : args.absent_labels_preference) = {label};
    return {InstanceOf("NodeLabelPriority", name), std::move(args)};
  }
  return {InstanceOf("RequestedToCapacityRatioPriority", name),
          RatioArgs(*priority.argument->requested_to_capacity_ratio)};
}

// Puts plugins into a profile.
class ProfileOfV116 {
 public:
  ProfileOfV116(const AlgorithmV116& algorithm, const PolicyOptions& options)
      : algorithm_(algorithm), options_(options) {
    profile_.scheduler_name = options.scheduler_name;
    profile_.run_all_filters = algorithm.always_check_all_predicates;
  }

  void AddFixed() {
    using enum ExtensionPoint;
    Enable("PrioritySort", {kQueueSort});
    Enable("SchedulingGates", {kPreEnqueue});
    Enable("DefaultPreemption", {kPreEnqueue, kPostFilter});
    Enable("DefaultBinder", {kBind});
    Enable("BasicChecks", {kPreFilter});
  }

  void AddPredicates() {
    using enum ExtensionPoint;
    for (const std::string_view name : PredicateOrderV116()) {
      const auto it = std::ranges::find(algorithm_.predicates, name, &PolicyPredicate::name);
      if (it == algorithm_.predicates.end()) continue;
      PluginOfEntry plugin = PluginOf(*it, algorithm_, options_);
      Enable(plugin.name, {kFilter});
      const bool prepares = plugin.name.starts_with("CheckServiceAffinity") || plugin.name == "CheckVolumeBinding" ||
                            plugin.name == "MatchInterPodAffinity";
      if (prepares) Enable(plugin.name, {kPreFilter});
      if (plugin.name == "CheckVolumeBinding") Enable(plugin.name, {kReserve, kPreBind});
      AddArgs(std::move(plugin));
    }
  }

  Result<void> AddPriorities() {
    using enum ExtensionPoint;
    for (const PolicyPriority& priority : algorithm_.priorities) {
      if (priority.weight > std::numeric_limits<int32_t>::max()) {
        return Invalid(
            fmt::format("couldn't create scheduler from policy: the weight {} of priority {} is not supported, "
                        "use at most {}",
                        priority.weight, priority.name, std::numeric_limits<int32_t>::max()));
      }
      PluginOfEntry plugin = PluginOf(priority, algorithm_);
      if (plugin.name == "InterPodAffinityPriority") Enable(plugin.name, {kPreScore});
      Enable(plugin.name, {kScore}, static_cast<int32_t>(priority.weight));
      AddArgs(std::move(plugin));
    }
    return {};
  }

  ProfileConfiguration Take() {
    std::ranges::sort(profile_.plugin_config, {}, &framework::PluginConfig::name);
    return std::move(profile_);
  }

 private:
  void Enable(const std::string& plugin, std::initializer_list<ExtensionPoint> points, int32_t weight = 0) {
    for (const ExtensionPoint point : points) profile_.plugins[point].enabled.push_back({plugin, weight});
  }
  void AddArgs(PluginOfEntry plugin) {
    if (plugin.args.empty()) return;
    profile_.plugin_config.push_back({std::move(plugin.name), std::move(plugin.args)});
  }

  const AlgorithmV116& algorithm_;
  const PolicyOptions& options_;
  ProfileConfiguration profile_;
};

Result<SchedulerConfiguration> TranslateV116(AlgorithmV116 algorithm, const PolicyOptions& options) {
  ProfileOfV116 profile(algorithm, options);
  profile.AddFixed();
  profile.AddPredicates();
  BERTH_CHECK_OK(profile.AddPriorities());
  SchedulerConfiguration configuration;
  configuration.profiles.push_back(profile.Take());
  configuration.extenders = std::move(algorithm.extenders);
  configuration.extender_score_scale = 1;
  configuration.pod_max_in_unschedulable = kUnschedulableFlush;
  return configuration;
}

}  // namespace

Result<SchedulerConfiguration> FromPolicyV116(const Policy& policy, const PolicyOptions& options,
                                              const framework::FeatureGates&) {
  return TranslateV116(BERTH_TRY(AlgorithmOfPolicyV116(policy, options)), options);
}

Result<SchedulerConfiguration> FromProviderV116(std::string_view name, const PolicyOptions& options,
                                                const framework::FeatureGates&) {
  return TranslateV116(BERTH_TRY(AlgorithmOfProviderV116(name, options)), options);
}

}  // namespace berth::config
