// SPDX-License-Identifier: Apache-2.0
// What is written into a claim for the devices that were chosen.

#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "api/objects/resource_claim.h"
#include "plugins/dynamic_resources/allocator/device_search.h"

namespace berth::plugins {

// `share_seed` tells the shares of this claim apart from those of others. Fails with upstream's text if a slice is
// broken.
Result<api::AllocationResult> MakeAllocationResult(const PreparedClaim& claim, const std::vector<ChosenDevice>& chosen,
                                                   const CandidateDevices& candidates,
                                                   const cluster::DeviceOptions& options, const std::string& node_name,
                                                   std::string_view share_seed);

}  // namespace berth::plugins
