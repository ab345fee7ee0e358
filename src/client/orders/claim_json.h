// SPDX-License-Identifier: Apache-2.0
// What the scheduler writes about ResourceClaims, as JSON of resource.k8s.io/v1.

#pragma once

#include <string>
#include <vector>

#include "api/objects/pod.h"
#include "api/objects/resource_claim.h"
#include "base/time.h"

namespace berth::client {

// A claim that is to be created, under a name that begins with `name_prefix`.
std::string NewClaimJson(const api::ResourceClaim& claim, const std::string& name_prefix);

// status.allocation.
std::string AllocationJson(const api::AllocationResult& allocation);

// An element of status.reservedFor.
std::string ConsumerJson(const api::ResourceClaimConsumer& consumer);

// The patch that tells a pod which claim has the devices for its extended resources.
std::string ExtendedResourcePatch(const std::vector<api::ExtendedResourceClaimStatus::Mapping>& mappings,
                                  const std::string& claim_name);

// The patch that tells a pod what its claims take of the node's own resources.
std::string NodeAllocatablePatch(const std::string& pod_uid,
                                 const std::vector<api::NodeAllocatableClaimStatus>& claims);

}  // namespace berth::client
