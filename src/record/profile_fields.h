// SPDX-License-Identifier: Apache-2.0
// The fields of profiles, for those that a configuration file cannot say: what became of a legacy Policy.

#pragma once

#include <optional>
#include <variant>
#include <vector>

#include "config/policy/policy.h"
#include "framework/configuration.h"
#include "record/fields.h"

namespace berth::record {

// Profiles with the release whose policy they come from.
struct LegacyProfiles {
  config::PolicyCompat release = config::PolicyCompat::kV122;
  std::vector<framework::ProfileConfiguration> profiles;
};

template <>
inline constexpr config::PolicyCompat kLast<config::PolicyCompat> = config::PolicyCompat::kV122;

BERTH_FIELDS(Duration, nanos)
BERTH_FIELDS(framework::ResourceSpec, name, weight)
BERTH_FIELDS(framework::UtilizationShapePoint, utilization, score)
BERTH_FIELDS(framework::DefaultPreemptionArgs, percentage, absolute)
BERTH_FIELDS(framework::DynamicResourcesArgs, filter_timeout, binding_timeout)
BERTH_FIELDS(framework::InterPodAffinityArgs, weight, ignore_preferred)
BERTH_FIELDS(framework::NodeAffinityArgs, added_affinity, selector_errors)
BERTH_FIELDS(framework::NodeResourcesBalancedAllocationArgs, resources)
BERTH_FIELDS(framework::RequestedToCapacityRatioParam, shape)
BERTH_FIELDS(framework::ScoringStrategy, type, resources, requested_to_capacity_ratio)
BERTH_FIELDS(framework::NodeResourcesFitArgs, ignored_resources, ignored_groups, scoring_strategy)
BERTH_FIELDS(framework::PodTopologySpreadArgs, default_constraints, defaulting_type)
BERTH_FIELDS(framework::VolumeBindingArgs, bind_timeout_seconds, shape)
BERTH_FIELDS(framework::NodeLabelArgs, present, absent, present_preference, absent_preference)
BERTH_FIELDS(framework::ServiceAffinityArgs, affinity, anti_affinity)
BERTH_FIELDS(framework::RequestedToCapacityRatioArgs, shape, resources)
BERTH_FIELDS(framework::ResourceAllocationArgs, resources)
BERTH_FIELDS(framework::VolumeLimitArgs, max_pd_volumes)
BERTH_FIELDS(framework::OpaqueArgs, json)

BERTH_FIELDS(framework::PluginReference, name, weight)
BERTH_FIELDS(framework::PluginSet, enabled, disabled)
template <class Archive>
void Fields(Archive& archive, Subject<Archive, framework::Plugins>& plugins) {
  archive(plugins.multi_point);
  for (auto& set : plugins.points) archive(set);
}
BERTH_FIELDS(framework::PluginConfig, name, args)
BERTH_FIELDS(framework::ProfileConfiguration, scheduler_name, percentage, plugins, plugin_config, run_all_filters)
BERTH_FIELDS(LegacyProfiles, release, profiles)

}  // namespace berth::record
