// SPDX-License-Identifier: Apache-2.0
// ScoredResources: the resources that a scoring plugin weighs, as columns of the node table.
//
// Left out is what does not count for this pod: scalars it does not request and names no node has. On a node whose
// allocatable amount is 0 a resource does not count either; that is for the reader to skip.

#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "cluster/cluster.h"
#include "framework/args/resource_spec.h"

namespace berth::plugins {

struct ScoredResource {
  const int64_t* allocatable = nullptr;  // By slot.
  const int64_t* used = nullptr;         // By slot.
  int64_t pod_request = 0;
  int64_t weight = 1;
  int64_t position = 0;  // In the plugin's list of resources.
  // What devices provide of it; null unless they do. Then the columns are these.
  struct Devices {
    std::vector<int64_t> allocatable;
    std::vector<int64_t> used;
  };
  std::shared_ptr<const Devices> devices = nullptr;
};

// Whether scores depend on more than what the pod needs and the nodes' rows.
inline bool DependOnDevices(const std::vector<ScoredResource>& resources) {
  return std::ranges::any_of(resources, [](const ScoredResource& resource) { return resource.devices != nullptr; });
}

// Whether devices provide some of the resources, so that scores may depend on them.
bool AnyFromDevices(const std::vector<framework::ResourceSpec>& resources, const cluster::Cluster& cluster);

// Which amounts count as used on a node.
enum class UsedCpuAndMemory : uint8_t {
  kNonZero,    // Pods without requests count as 100m and 200Mi.
  kRequested,  // What was requested.
};

// What identifies the scores of a pod among pods of one plugin: which resources count and how much it requests of them.
std::vector<int64_t> NeedOf(const std::vector<ScoredResource>& resources);

// `pod_requests` is what the incoming pod counts for, `slots` the nodes that are to be scored. The pointers are valid
// until the node table changes.
std::vector<ScoredResource> ScoredResources(const std::vector<framework::ResourceSpec>& resources,
                                            const cluster::Resources& pod_requests, UsedCpuAndMemory used,
                                            const cluster::Cluster& cluster, std::span<const cluster::NodeSlot> slots);

}  // namespace berth::plugins
