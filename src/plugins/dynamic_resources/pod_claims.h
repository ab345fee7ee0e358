// SPDX-License-Identifier: Apache-2.0
// The resource claims of a pod: those it names and those that were made for it from a template.

#pragma once

#include <memory>
#include <vector>

#include "base/result.h"
#include "cluster/cluster.h"

namespace berth::plugins {

// By the entries of the pod's spec; null where no claim is needed. Fails with upstream's text if one is not there yet,
// is being deleted or was made for another pod.
Result<std::vector<std::shared_ptr<const api::ResourceClaim>>> PodClaims(const cluster::PodInfo& pod,
                                                                         const cluster::Objects& objects,
                                                                         bool group_claims = false);

// Whether the pod names the claim, or a claim of this name was made for it. Without a look at the claims that there
// are.
bool NamesClaim(const cluster::PodInfo& pod, const api::ResourceClaim& claim);

// Whether the claim is reserved for the pod or, if `group_claims`, for its group.
bool IsReservedFor(const api::ResourceClaim& claim, const cluster::PodInfo& pod, bool group_claims);

// The group of the pod if the claim of this entry belongs to it; nothing: it is the pod's own.
std::optional<api::ResourceClaimConsumer> GroupOfClaim(const api::PodResourceClaim& entry, const api::PodGroup* group);

}  // namespace berth::plugins
