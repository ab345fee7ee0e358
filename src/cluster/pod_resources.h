// SPDX-License-Identifier: Apache-2.0
// What a pod requests: containers, init containers, sidecars, pod-level resources, overhead and, for pods on nodes,
// what their status says was allocated.

#pragma once

#include <cstdint>

#include "api/objects/pod.h"
#include "api/parts/resource_list.h"

namespace berth::cluster {

// Feature gates that change the computation, at their v1.37 defaults.
struct PodResourceOptions {
  bool pod_level_resources = true;        // PodLevelResources.
  bool in_place_pod_level_resize = true;  // InPlacePodLevelResourcesVerticalScaling.
  bool node_allocatable_claims = false;   // DRANodeAllocatableResources.
  bool deferred_resizes = false;          // InPlacePodVerticalScalingSchedulerPreemption.
};

inline constexpr int64_t kDefaultCpuMilli = 100;
inline constexpr int64_t kDefaultMemoryBytes = 200 * 1024 * 1024;

struct PodRequestOptions {
  bool use_status = false;               // Take status resources into account (pods on nodes).
  bool pod_level = true;                 // Honour spec.resources.
  bool in_place_pod_level = true;        // Honour pod-level status resources (with use_status).
  bool default_missing = false;          // Containers without cpu (memory) count as 100m (200Mi).
  bool node_allocatable_claims = false;  // Add what the status says that claims take.
};

// R(pod) as a resource list.
api::ResourceList PodRequests(const api::PodSpec& spec, const api::PodStatus& status, const PodRequestOptions& options);

// The limits of the spec in the same way: overhead counts only where there is a limit.
api::ResourceList PodLimits(const api::PodSpec& spec);

// Whether spec.resources requests something that counts at pod level (cpu, memory or hugepages).
bool HasPodLevelRequests(const api::PodSpec& spec);

struct NonZeroRequest {
  int64_t cpu_milli = 0;
  int64_t memory_bytes = 0;
};

// The cpu and memory a pod on a node counts for in scoring: missing requests count as 100m and 200Mi.
NonZeroRequest PodNonZeroRequest(const api::PodSpec& spec, const api::PodStatus& status,
                                 const PodResourceOptions& options);

}  // namespace berth::cluster
