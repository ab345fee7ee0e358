// SPDX-License-Identifier: Apache-2.0
// What a request consumes of the capacities of a device, by the device's request policies.

#pragma once

#include <optional>

#include "api/objects/device.h"
#include "api/parts/resource_list.h"
#include "base/result.h"

namespace berth::plugins {

// What an allocation would consume of each capacity of the device: what is requested, rounded up as the policy says, or
// else the policy's default, or else all there is. Nothing: the device cannot serve the request. Fails with upstream's
// text if the numbers make no sense. `fractional`: ranges may be in thousandths.
Result<std::optional<api::ResourceList>> ConsumedCapacity(const std::optional<api::ResourceList>& requests,
                                                          const api::Device& device, bool fractional);

// Whether the amounts together are at most what the device has. The first two may be null.
bool CapacitySuffices(const api::Device& device, const api::ResourceList* used, const api::ResourceList* allocating,
                      const api::ResourceList& consumed);

}  // namespace berth::plugins
