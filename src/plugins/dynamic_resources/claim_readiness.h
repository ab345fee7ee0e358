// SPDX-License-Identifier: Apache-2.0
// Binding conditions: what drivers report of devices that have to be made ready before a pod is bound.

#pragma once

#include <string>
#include <string_view>

#include "api/objects/resource_claim.h"
#include "base/result.h"
#include "base/time.h"

namespace berth::plugins {

inline bool HasBindingConditions(const api::ResourceClaim& claim) {
  if (!claim.allocation) return false;
  for (const api::DeviceRequestAllocationResult& result : claim.allocation->results) {
    if (!result.binding_conditions.empty()) return true;
  }
  return false;
}

// Whether all binding conditions of the claim's devices are met. Fails with upstream's text if one never will be.
Result<bool> IsReadyForBinding(const api::ResourceClaim& claim);

// Whether the claim has devices with binding conditions and was allocated more than `timeout` ago.
bool BindingTimedOut(const api::ResourceClaim& claim, Duration timeout, Time now);

}  // namespace berth::plugins
