// SPDX-License-Identifier: Apache-2.0
#include "plugins/dynamic_resources/claim_readiness.h"

#include <algorithm>

#include <fmt/format.h>

#include "api/document/field_error.h"

namespace berth::plugins {
namespace {

using Condition = api::AllocatedDeviceStatus::Condition;

const api::AllocatedDeviceStatus* StatusOf(const api::ResourceClaim& claim,
                                           const api::DeviceRequestAllocationResult& result) {
  const auto found = std::ranges::find_if(claim.devices, [&](const api::AllocatedDeviceStatus& status) {
    return status.device == result.device && status.driver == result.driver && status.pool == result.pool;
  });
  return found == claim.devices.end() ? nullptr : &*found;
}

const Condition* TrueCondition(const api::AllocatedDeviceStatus& status, const std::string& type) {
  const auto found = std::ranges::find(status.conditions, type, &Condition::type);
  return found == status.conditions.end() || found->status != "True" ? nullptr : &*found;
}

}  // namespace

Result<bool> IsReadyForBinding(const api::ResourceClaim& claim) {
  if (!claim.allocation) return false;
  for (const api::DeviceRequestAllocationResult& result : claim.allocation->results) {
    if (result.binding_conditions.empty()) continue;
    const api::AllocatedDeviceStatus* status = StatusOf(claim, result);
    if (status == nullptr) return false;
    for (const std::string& type : result.binding_failure_conditions) {
      if (const Condition* failed = TrueCondition(*status, type)) {
        return Invalid(fmt::format("device binding failed: claim={}, reason={}, message={}", claim.meta.name,
                                   failed->reason, api::GoQuote(failed->message)));
      }
    }
    for (const std::string& type : result.binding_conditions) {
      if (TrueCondition(*status, type) == nullptr) return false;
    }
  }
  return true;
}

bool BindingTimedOut(const api::ResourceClaim& claim, Duration timeout, Time now) {
  return HasBindingConditions(claim) && claim.allocation->allocation_timestamp &&
         *claim.allocation->allocation_timestamp + timeout < now;
}

}  // namespace berth::plugins
