// SPDX-License-Identifier: Apache-2.0
#include "plugins/dynamic_resources/allocator/allocator.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "plugins/dynamic_resources/allocator/allocation_result.h"

namespace berth::plugins {
namespace {

Allocation AllocationError(std::string message) {
  return {.outcome = Allocation::Outcome::kError, .results = {}, .error = std::move(message), .looks = 0};
}

}  // namespace

Allocation AllocateDevices(const cluster::Cluster& cluster, cluster::NodeSlot node,
                           std::span<const api::ResourceClaim* const> claims, const DeviceSearch::Limits& limits) {
  const api::Node& object = *cluster.nodes().node[node.index];
  const cluster::SliceNode slice_node{.name = object.meta.name, .labels = object.meta.labels};
  Result<CandidateDevices> candidates = CandidateDevices::Of(cluster.devices, slice_node);
  if (!candidates) return AllocationError("gather pool information: " + candidates.error().message);
  const DeviceMatcher matcher(cluster.devices, *candidates, slice_node);
  Result<std::vector<PreparedClaim>> prepared = PrepareClaims(claims, cluster, *candidates, matcher);
  if (!prepared) return AllocationError(std::move(prepared).error().message);
  DeviceSearch search(*candidates, matcher, *prepared, cluster.devices.uses(), object.declared_features, limits);
  Allocation allocation;
  switch (search.Run()) {
    case DeviceSearch::Outcome::kFound: allocation.outcome = Allocation::Outcome::kAllocated; break;
    case DeviceSearch::Outcome::kError: return AllocationError(search.error());
    case DeviceSearch::Outcome::kGaveUp: allocation.outcome = Allocation::Outcome::kGaveUp; break;
    case DeviceSearch::Outcome::kNothing: {
      const bool has_invalid =
          std::ranges::any_of(candidates->pools, [](const auto& pool) { return pool->is_invalid; });
      allocation.outcome = has_invalid ? Allocation::Outcome::kInvalidPools : Allocation::Outcome::kNothing;
      break;
    }
  }
  allocation.looks = search.looks();
  if (allocation.outcome != Allocation::Outcome::kAllocated) return allocation;
  for (size_t i = 0; i < prepared->size(); ++i) {
    Result<api::AllocationResult> result = MakeAllocationResult((*prepared)[i], search.chosen()[i], *candidates,
                                                                cluster.devices.options(), object.meta.name);
    if (!result) return AllocationError(std::move(result).error().message);
    allocation.results.push_back(*std::move(result));
  }
  return allocation;
}

}  // namespace berth::plugins
