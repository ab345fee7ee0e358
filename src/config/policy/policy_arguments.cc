// SPDX-License-Identifier: Apache-2.0
#include "config/policy/policy_arguments.h"

#include <fmt/format.h>

#include "config/defaults.h"
#include "plugins/inter_pod_affinity/inter_pod_affinity.h"
#include "plugins/legacy/volume_count_limits.h"
#include "plugins/pod_topology_spread/pod_topology_spread.h"
#include "plugins/registry.h"

namespace berth::config {

using framework::PluginArgs;

namespace {

template <class T>
T& Made(std::optional<T>& value) {
  return value ? *value : value.emplace();
}

void Append(std::vector<std::string>& list, const std::vector<std::string>& more) {
  list.insert(list.end(), more.begin(), more.end());
}

// v1.21 makes up empty arguments, v1.22 has forgotten how.
template <class T>
Result<T> ArgsOrDefault(const std::optional<T>& args, std::string_view plugin, PolicyCompat compat) {
  if (args) return *args;
  if (compat == PolicyCompat::kV122) {
    return Invalid(fmt::format("want args to be of type {}Args, got <nil>", plugin));
  }
  return T();
}

template <class T>
Result<PluginArgs> CheckedArgs(const std::optional<T>& given, std::string_view plugin, PolicyCompat compat,
                               const framework::FeatureGates& gates) {
  const T args = BERTH_TRY(ArgsOrDefault(given, plugin, compat));
  framework::FieldErrors errors;
  args.Validate({"", gates, errors});
  if (std::optional<Error> error = errors.Join()) return std::unexpected(std::move(*error));
  return PluginArgs(args);
}

bool IsCloudLimit(std::string_view plugin) {
  return plugin == "EBSLimits" || plugin == "GCEPDLimits" || plugin == "AzureDiskLimits" || plugin == "CinderLimits";
}

int32_t Times(int64_t weight, size_t count) {
  return static_cast<int32_t>(static_cast<uint32_t>(weight) * static_cast<uint32_t>(count));
}

}  // namespace

void PolicyArguments::Add(const ServiceAffinityArgument& argument) {
  Append(Made(service_affinity).affinity_labels, argument.labels);
}

void PolicyArguments::Add(const LabelsPresenceArgument& argument) {
  plugins::legacy::NodeLabel::Args& args = Made(node_label);
  Append(argument.presence ? args.present_labels : args.absent_labels, argument.labels);
}

void PolicyArguments::Add(const ServiceAntiAffinityArgument& argument) {
  Made(service_affinity).anti_affinity_labels_preference.push_back(argument.label);
}

void PolicyArguments::Add(const LabelPreferenceArgument& argument) {
  plugins::legacy::NodeLabel::Args& args = Made(node_label);
  (argument.presence ? args.present_labels_preference : args.absent_labels_preference).push_back(argument.label);
}

void PolicyArguments::Set(const RequestedToCapacityRatioArgument& argument) {
  plugins::legacy::ResourceAllocation::RatioArgs& args = requested_to_capacity_ratio.emplace();
  for (const PolicyShapePoint& point : argument.shape) {
    args.shape.push_back({static_cast<int32_t>(point.utilization), static_cast<int32_t>(point.score)});
  }
  args.resources = argument.resources;
}

Result<int32_t> PolicyArguments::WeightOf(std::string_view plugin, int64_t weight) const {
  constexpr std::string_view kNoArgument = "priority \"{}\" has no argument: give it a name of its own and an argument";
  if (plugin == "NodeLabel") {
    if (!node_label) return Invalid(fmt::format(kNoArgument, plugin));
    return Times(weight, node_label->present_labels_preference.size() + node_label->absent_labels_preference.size());
  }
  if (plugin == "ServiceAffinity") {
    if (!service_affinity) return Invalid(fmt::format(kNoArgument, plugin));
    return Times(weight, service_affinity->anti_affinity_labels_preference.size());
  }
  return static_cast<int32_t>(weight);
}

Result<PluginArgs> PolicyArguments::ArgsOf(std::string_view plugin, PolicyCompat compat,
                                           const framework::FeatureGates& gates) const {
  if (plugin == "NodeLabel") return CheckedArgs(node_label, plugin, compat, gates);
  if (plugin == "RequestedToCapacityRatio") return CheckedArgs(requested_to_capacity_ratio, plugin, compat, gates);
  if (plugin == "ServiceAffinity") return BERTH_TRY(ArgsOrDefault(service_affinity, plugin, compat));
  if (plugin == "NodeResourcesLeastAllocated" || plugin == "NodeResourcesMostAllocated") {
    return plugins::legacy::ResourceAllocation::Args();
  }
  if (max_pd_volumes && IsCloudLimit(plugin)) return plugins::legacy::VolumeCountLimits::Args{max_pd_volumes};
  PluginArgs args = DefaultArgs(plugin, gates, plugins::BuiltIn());
  if (auto* affinity = args.As<plugins::InterPodAffinity::Args>()) {
    affinity->hard_pod_affinity_weight = hard_pod_affinity_weight;
  }
  if (auto* spread = args.As<plugins::PodTopologySpread::Args>(); spread != nullptr && !spreads_by_default) {
    spread->defaulting_type = spread->kListDefaulting;
  }
  return args;
}

}  // namespace berth::config
