// SPDX-License-Identifier: Apache-2.0
// The resource claims of a pod: those it names and those that were made for it from a template.

#pragma once

#include <memory>
#include <vector>

#include "base/result.h"
#include "cluster/cluster.h"

namespace berth::plugins {

// The claims, in the order of the pod's spec; entries for which no claim is needed are left out. Fails with upstream's
// text if one is not there yet, is being deleted or was made for another pod. Valid until objects change.
Result<std::vector<const api::ResourceClaim*>> PodClaims(const cluster::PodInfo& pod, const cluster::Objects& objects);

}  // namespace berth::plugins
