// SPDX-License-Identifier: Apache-2.0
#include "plugins/registry.h"

#include "base/assert.h"
#include "plugins/default_binder/default_binder.h"
#include "plugins/default_preemption/default_preemption.h"
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
#include "plugins/pod_topology_spread/pod_topology_spread.h"
#include "plugins/priority_sort/priority_sort.h"
#include "plugins/scheduling_gates/scheduling_gates.h"
#include "plugins/taint_toleration/taint_toleration.h"
#include "plugins/volume_binding/volume_binding.h"
#include "plugins/volume_restrictions/volume_restrictions.h"
#include "plugins/volume_zone/volume_zone.h"

namespace berth::plugins {
namespace {

template <class P>
void Add(framework::Registry& registry) {
  const Result<void> added = registry.Add(P::kName, P::Create);
  BERTH_ASSERT(added.has_value());
}

}  // namespace

framework::Registry BuiltIn() {
  framework::Registry registry;
  Add<SchedulingGates>(registry);
  Add<PrioritySort>(registry);
  Add<NodeName>(registry);
  Add<NodeUnschedulable>(registry);
  Add<TaintToleration>(registry);
  Add<NodeAffinity>(registry);
  Add<NodePorts>(registry);
  Add<NodeResourcesFit>(registry);
  Add<VolumeRestrictions>(registry);
  Add<NodeVolumeLimits>(registry);
  Add<VolumeBinding>(registry);
  Add<VolumeZone>(registry);
  Add<PodTopologySpread>(registry);
  Add<InterPodAffinity>(registry);
  Add<DynamicResources>(registry);
  Add<DefaultPreemption>(registry);
  Add<NodeResourcesBalancedAllocation>(registry);
  Add<ImageLocality>(registry);
  Add<DefaultBinder>(registry);
  Add<NodeDeclaredFeatures>(registry);
  Add<GangScheduling>(registry);
  return registry;
}

}  // namespace berth::plugins
