// SPDX-License-Identifier: Apache-2.0
#include "plugins/registry.h"

#include "base/assert.h"
#include "plugins/coscheduling/coscheduling.h"
#include "plugins/default_binder/default_binder.h"
#include "plugins/default_preemption/default_preemption.h"
#include "plugins/deferred_pod_scheduling/deferred_pod_scheduling.h"
#include "plugins/dynamic_resources/dynamic_resources.h"
#include "plugins/gang_scheduling/gang_scheduling.h"
#include "plugins/image_locality/image_locality.h"
#include "plugins/inter_pod_affinity/inter_pod_affinity.h"
#include "plugins/node_affinity/node_affinity.h"
#include "plugins/node_declared_features/node_declared_features.h"
#include "plugins/node_name/node_name.h"
#include "plugins/node_ports/node_ports.h"
#include "plugins/node_resources_balanced_allocation/node_resources_balanced_allocation.h"
#include "plugins/node_resources_fit/node_resources_fit.h"
#include "plugins/node_unschedulable/node_unschedulable.h"
#include "plugins/node_volume_limits/node_volume_limits.h"
#include "plugins/pod_group_pods_count/pod_group_pods_count.h"
#include "plugins/pod_topology_spread/pod_topology_spread.h"
#include "plugins/priority_sort/priority_sort.h"
#include "plugins/scheduling_gates/scheduling_gates.h"
#include "plugins/taint_toleration/taint_toleration.h"
#include "plugins/topology_placement_generator/topology_placement_generator.h"
#include "plugins/volume_binding/volume_binding.h"
#include "plugins/volume_restrictions/volume_restrictions.h"
#include "plugins/volume_zone/volume_zone.h"

namespace berth::plugins {
namespace {

using framework::DefaultUse;
using framework::Gate;
using framework::PluginRow;

// A plugin that the default configuration enables.
template <class P>
PluginRow Default(DefaultUse use = {}) {
  PluginRow row = framework::RowOf<P>();
  row.use = use;
  return row;
}

framework::Registry MakeBuiltIn() {
  framework::Registry registry;
  // In the order of the default configuration.
  for (const PluginRow& row : {
           Default<SchedulingGates>(),
           Default<PrioritySort>(),
           Default<NodeName>(),
           Default<NodeUnschedulable>(),
           Default<TaintToleration>({.weight = 3}),
           Default<NodeAffinity>({.weight = 2}),
           Default<NodePorts>(),
           Default<DeferredPodScheduling>({.gate = Gate::kInPlacePodVerticalScalingSchedulerPreemption}),
           Default<NodeResourcesFit>({.weight = 1}),
           Default<VolumeRestrictions>(),
           Default<NodeVolumeLimits>(),
           Default<VolumeBinding>(),
           Default<VolumeZone>(),
           Default<PodTopologySpread>({.weight = 2}),
           Default<InterPodAffinity>({.weight = 2}),
           // Freeing an idle claim is tried before pods are evicted.
           Default<DynamicResources>({.weight = 2, .gate = Gate::kDynamicResourceAllocation}),
           Default<DefaultPreemption>(),
           Default<NodeResourcesBalancedAllocation>({.weight = 1}),
           Default<ImageLocality>({.weight = 1}),
           Default<DefaultBinder>(),
           Default<NodeDeclaredFeatures>({.gate = Gate::kNodeDeclaredFeatures}),
           Default<GangScheduling>({.gate = Gate::kGenericWorkload}),
           Default<TopologyPlacementGenerator>({.gate = Gate::kTopologyAwareWorkloadScheduling}),
           Default<PodGroupPodsCount>({.weight = 1, .gate = Gate::kTopologyAwareWorkloadScheduling}),
       }) {
    const Result<void> added = registry.Add(row);
    BERTH_ASSERT(added.has_value());
  }
  const Result<void> added = registry.Add<Coscheduling>();
  BERTH_ASSERT(added.has_value());
  return registry;
}

}  // namespace

const framework::Registry& BuiltIn() {
  static const framework::Registry kRegistry = MakeBuiltIn();
  return kRegistry;
}

}  // namespace berth::plugins
