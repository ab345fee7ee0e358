// SPDX-License-Identifier: Apache-2.0
// AllocateDevices: devices for claims on one node, as upstream's structured.Allocator chooses them.

#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "cluster/cluster.h"
#include "plugins/dynamic_resources/allocator/device_search.h"

namespace berth::plugins {

struct Allocation {
  enum class Outcome : uint8_t {
    kAllocated,
    kNothing,       // There is no way to serve all requests.
    kInvalidPools,  // The same, and some pool cannot be used because it is invalid.
    kError,
    kGaveUp,  // After too many looks at devices.
  };
  Outcome outcome = Outcome::kNothing;
  std::vector<api::AllocationResult> results;  // kAllocated: one per claim.
  std::string error;                           // kError: upstream's text.
  uint64_t looks = 0;                          // At devices.

  bool SameAs(const Allocation& other) const { return outcome == other.outcome && results == other.results; }
};

// All claims are allocated, or none is. Nothing is changed. Shares have no ids yet (NameShares).
Allocation AllocateDevices(const cluster::Cluster& cluster, cluster::NodeSlot node,
                           std::span<const api::ResourceClaim* const> claims, const DeviceSearch::Limits& limits = {});

}  // namespace berth::plugins
