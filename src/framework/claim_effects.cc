// SPDX-License-Identifier: Apache-2.0
#include "framework/claim_effects.h"

#include <algorithm>

#include <fmt/format.h>

namespace berth::framework {
namespace {

std::string Gone(const std::string& name) { return fmt::format("resourceclaims \"{}\" not found", name); }

// Stands for the status, so that a change of it shows.
void Describe(api::ResourceClaim& claim) {
  claim.status.clear();
  if (claim.allocation) claim.status = "allocated";
  for (const api::ResourceClaimConsumer& consumer : claim.reserved_for) claim.status += " " + consumer.uid;
}

// Another member of the group may have written what they share.
bool HaveSameDevices(const api::AllocationResult& a, const api::AllocationResult& b) {
  return !a.results.empty() && std::ranges::equal(a.results, b.results, [](const auto& x, const auto& y) {
    return x.request == y.request && x.driver == y.driver && x.pool == y.pool && x.device == y.device;
  });
}

}  // namespace

std::string Apply(const BindClaim& bind, api::ResourceClaim& claim, Time now) {
  const std::string name = api::FullName(claim.meta);
  const api::ResourceClaimConsumer consumer = bind.consumer();
  const auto is_same = [&](const api::ResourceClaimConsumer& other) { return other.uid == consumer.uid; };
  if (std::ranges::any_of(claim.reserved_for, is_same)) return "";
  if (claim.meta.deletion_timestamp) return fmt::format("claim {} got deleted in the meantime", name);
  if (bind.allocation && claim.allocation && !HaveSameDevices(*bind.allocation, *claim.allocation)) {
    return fmt::format("claim {} got allocated elsewhere in the meantime", name);
  }
  if (!bind.allocation && !claim.allocation) {
    return fmt::format("claim {} got deallocated elsewhere in the meantime", name);
  }
  if (!claim.allocation) claim.allocation = bind.allocation;
  if (bind.stamps_allocation && !claim.allocation->allocation_timestamp) claim.allocation->allocation_timestamp = now;
  claim.reserved_for.push_back(consumer);
  Describe(claim);
  return "";
}

std::string Apply(const UnreserveClaim& unreserve, api::ResourceClaim& claim) {
  if (claim.meta.uid != unreserve.claim_uid) return Gone(unreserve.claim_name);
  std::erase_if(claim.reserved_for, [&](const auto& consumer) { return consumer.uid == unreserve.consumer_uid(); });
  Describe(claim);
  return "";
}

std::string Apply(const DeallocateClaim& deallocate, api::ResourceClaim& claim) {
  if (claim.meta.uid != deallocate.claim_uid) return Gone(deallocate.claim_name);
  if (claim.meta.resource_version != deallocate.resource_version) {
    return fmt::format("Operation cannot be fulfilled on \"{}\": the object has been modified", claim.meta.name);
  }
  claim.allocation.reset();
  claim.reserved_for.clear();
  claim.devices.clear();
  Describe(claim);
  return "";
}

}  // namespace berth::framework
