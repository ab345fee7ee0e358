// SPDX-License-Identifier: Apache-2.0
#include "plugins/helpers/device_counts.h"

namespace berth::plugins {
namespace {

Result<bool> MatchesClass(const cluster::PoolSlice& slice, size_t device, const api::DeviceClass& device_class,
                          const cluster::DeviceSelectors& selectors) {
  for (const api::DeviceSelector& selector : device_class.selectors) {
    const auto compiled = selectors.Get(selector.cel_expression.value_or(""));
    if (!compiled->expression) return Invalid(compiled->expression.error().detail);
    // As upstream: who counts devices does not look at this.
    if (!BERTH_TRY(slice.Matches(*compiled, device, cluster::Sharing::kHidden))) return false;
  }
  return true;
}

// A slice that names no nodes at all counts for every node.
Result<bool> CountsFor(const cluster::PoolSlice& slice, const cluster::SliceNode& node) {
  const api::NodeSelection& nodes = slice->nodes;
  if (slice.per_device_selection() || (slice.node_name().empty() && !nodes.all_nodes && !nodes.node_selector))
    return true;
  return slice.IsFor(node);
}

Result<DeviceCounts> Count(const cluster::Cluster& cluster, const api::Node& node,
                           const api::DeviceClass& device_class) {
  const cluster::SliceNode slice_node{.name = node.meta.name, .labels = node.meta.labels};
  DeviceCounts counts;
  for (const cluster::PoolSlicePtr& slice : cluster.devices.pools().SlicesFor(slice_node)) {
    if (!BERTH_TRY(CountsFor(*slice, slice_node))) continue;
    const cluster::PoolId id{(*slice)->driver, (*slice)->pool.name};
    for (size_t i = 0; i < (*slice)->devices.size(); ++i) {
      if (slice->per_device_selection() && !BERTH_TRY(slice->DeviceIsFor(i, slice_node))) continue;
      if (!BERTH_TRY(MatchesClass(*slice, i, device_class, cluster.devices.selectors()))) continue;
      ++counts.total;
      if (cluster.devices.uses().IsAllocated(id, (*slice)->devices[i].name)) ++counts.allocated;
    }
  }
  return counts;
}

}  // namespace

DeviceCounts CountDevices(const cluster::Cluster& cluster, const api::Node& node,
                          const api::DeviceClass& device_class) {
  return Count(cluster, node, device_class).value_or(DeviceCounts());
}

}  // namespace berth::plugins
