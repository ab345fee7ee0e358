// SPDX-License-Identifier: Apache-2.0
#include "scheduler/assembly.h"

#include <fmt/format.h>

namespace berth::scheduler {

Result<Profiles> MakeProfiles(const framework::SchedulerConfiguration& configuration,
                              const framework::Registry& registry, const framework::FeatureGates& gates) {
  Profiles profiles;
  for (const framework::ProfileConfiguration& profile : configuration.profiles) {
    auto made = framework::Profile::Create(profile, registry, gates);
    if (!made) {
      return Fail(made.error().code, fmt::format("initializing profiles: creating profile for scheduler name {}: {}",
                                                 profile.scheduler_name, made.error().message));
    }
    const bool added = profiles.try_emplace(profile.scheduler_name, *std::move(made)).second;
    if (!added) {
      return Invalid(
          fmt::format("initializing profiles: duplicate profile with scheduler name \"{}\"", profile.scheduler_name));
    }
  }
  if (profiles.empty()) return Invalid("initializing profiles: at least one profile is required");
  return profiles;
}

std::unique_ptr<cluster::Cluster> MakeCluster(const framework::FeatureGates& gates) {
  using framework::Gate;
  return std::make_unique<cluster::Cluster>(
      cluster::PodResourceOptions{
          .pod_level_resources = gates.Enabled(Gate::kPodLevelResources),
          .in_place_pod_level_resize = gates.Enabled(Gate::kInPlacePodLevelResourcesVerticalScaling),
          .node_allocatable_claims = gates.Enabled(Gate::kDRANodeAllocatableResources),
          .deferred_resizes = gates.Enabled(Gate::kInPlacePodVerticalScalingSchedulerPreemption)},
      cluster::DeviceOptions{.taints = gates.Enabled(Gate::kDRADeviceTaints),
                             .taint_rules = gates.Enabled(Gate::kDRADeviceTaintRules),
                             .consumable_capacity = gates.Enabled(Gate::kDRAConsumableCapacity),
                             .fractional_capacity = gates.Enabled(Gate::kDRAFractionalCapacityRange),
                             .partitionable_devices = gates.Enabled(Gate::kDRAPartitionableDevices),
                             .binding_conditions = gates.Enabled(Gate::kDRADeviceBindingConditions),
                             .list_attributes = gates.Enabled(Gate::kDRAListTypeAttributes),
                             .derived_attributes = gates.Enabled(Gate::kDRADerivedAttributes),
                             .compatibility_groups = gates.Enabled(Gate::kDRADeviceCompatibilityGroups),
                             .optional_node_operations = gates.Enabled(Gate::kDRAOptionalNodeOperations),
                             .node_allocatable = gates.Enabled(Gate::kDRANodeAllocatableResources)},
      cluster::PodGroupOptions{.enabled = gates.Enabled(Gate::kGenericWorkload),
                               .composite = gates.Enabled(Gate::kCompositePodGroup)});
}

}  // namespace berth::scheduler
