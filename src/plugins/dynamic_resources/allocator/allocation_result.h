// SPDX-License-Identifier: Apache-2.0
// What is written into a claim for the devices that were chosen.

#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "api/objects/resource_claim.h"
#include "plugins/dynamic_resources/allocator/device_search.h"

namespace berth::plugins {

// Shares have no ids yet (NameShares). Fails with upstream's text if a slice is broken.
Result<api::AllocationResult> MakeAllocationResult(const PreparedClaim& claim, const std::vector<ChosenDevice>& chosen,
                                                   const CandidateDevices& candidates,
                                                   const cluster::DeviceOptions& options, const std::string& node_name);

// Gives the shares of devices their ids; `seed` tells them apart from those of other claims.
void NameShares(api::AllocationResult& allocation, std::string_view seed);

}  // namespace berth::plugins
