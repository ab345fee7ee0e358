// SPDX-License-Identifier: Apache-2.0
// The requests for devices that stand for the extended resources of a pod.

#pragma once

#include <string>
#include <vector>

#include "api/objects/pod.h"
#include "api/objects/resource_claim.h"
#include "cluster/devices/extended_resources.h"

namespace berth::plugins {

struct ExtendedRequests {
  std::vector<api::DeviceRequest> requests;                         // By name.
  std::vector<api::ExtendedResourceClaimStatus::Mapping> mappings;  // Which container has which request.
};

// `resources` are sorted, and a class stands behind each. Containers that run at the same time have requests of their
// own; an init container uses those of later containers first, and what all init containers need beyond that is one
// request.
ExtendedRequests MakeExtendedRequests(const api::PodSpec& spec, const std::vector<std::string>& resources,
                                      const cluster::ExtendedResources& classes);

}  // namespace berth::plugins
