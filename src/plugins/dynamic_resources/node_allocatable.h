// SPDX-License-Identifier: Apache-2.0
// NodeAllocatable: devices that take some of the node's own resources, such as memory (gate
// DRANodeAllocatableResources).

#pragma once

#include "framework/cycle.h"
#include "framework/status.h"
#include "plugins/dynamic_resources/dynamic_resources_state.h"

namespace berth::plugins {

class NodeAllocatable {
 public:
  NodeAllocatable(const framework::Cycle& cycle, const DynamicResourcesState& state) : cycle_(cycle), state_(state) {}

  // A claim that stands for resources of the node cannot be used by two pods.
  framework::Status CheckSharing(const PodClaim& claim) const;

  // Whether the node has what the devices of all claims take, besides what the pod requests; the allocation then says
  // what that is.
  framework::Status Check(cluster::NodeSlot node, NodeAllocation& allocation) const;

 private:
  struct Allocated {
    const api::ResourceClaim* claim = nullptr;
    const api::AllocationResult* allocation = nullptr;
  };

  bool is_enabled() const { return cycle_.cluster().devices.options().node_allocatable; }
  // The device as the node sees it. Fails with upstream's text.
  Result<const api::Device*> FindDevice(const api::DeviceRequestAllocationResult& result, const api::Node& node) const;
  std::vector<Allocated> ClaimsOnNode(const api::Node& node, const NodeAllocation& allocation) const;
  Result<api::NodeAllocatableClaimStatus> Total(const Allocated& claim, const api::Node& node) const;
  framework::Status CheckPodLevel(const std::vector<api::NodeAllocatableClaimStatus>& claims) const;
  framework::Status CheckNode(cluster::NodeSlot node, const api::ResourceList& requests) const;

  const framework::Cycle& cycle_;
  const DynamicResourcesState& state_;
};

}  // namespace berth::plugins
