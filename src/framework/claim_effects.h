// SPDX-License-Identifier: Apache-2.0
// What effects make of a ResourceClaim, for those who play the API server.

#pragma once

#include <string>

#include "api/objects/resource_claim.h"
#include "framework/effects.h"

namespace berth::framework {

// Each changes the claim, or returns why that is refused.
std::string Apply(const BindClaim& bind, api::ResourceClaim& claim, Time now);
std::string Apply(const UnreserveClaim& unreserve, api::ResourceClaim& claim);
std::string Apply(const DeallocateClaim& deallocate, api::ResourceClaim& claim);

// How the claim for a pod's extended resources is called there.
inline std::string ExtendedClaimName(const cluster::PodInfo& pod) {
  return pod.name + "-extended-resources-" + pod.uid;
}

}  // namespace berth::framework
