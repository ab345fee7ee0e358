// SPDX-License-Identifier: Apache-2.0
#include "cluster/devices/device_state.h"

#include <utility>

namespace berth::cluster {
namespace {

// The pod for whose extended resources the claim was made; empty if it is another claim.
std::string_view ExtendedResourcesOf(const api::ResourceClaim& claim) {
  if (claim.meta.annotations.Get(kExtendedResourceClaimAnnotation) != "true") return {};
  const api::OwnerReference* owner = claim.meta.controller();
  return owner == nullptr ? std::string_view() : std::string_view(owner->uid);
}

}  // namespace

DeviceState::DeviceState(Objects& objects, const DeviceOptions& options)
    : options_(options), selectors_(std::make_shared<const DeviceSelectors>()) {
  Follow(objects);
}

DeviceState::DeviceState(Objects& objects, const DeviceState& other)
    : options_(other.options_),
      pools_(other.pools_),
      uses_(other.uses_),
      extended_resources_(other.extended_resources_),
      selectors_(other.selectors_),
      in_flight_(other.in_flight_),
      allocated_(other.allocated_),
      extended_claims_(other.extended_claims_) {
  Follow(objects);
}

void DeviceState::Follow(Objects& objects) {
  objects.resource_claims.set_listener([this](const auto& before, const auto& after) { ClaimChanged(before, after); });
  objects.resource_slices.set_listener(
      [this](const auto& before, const auto& after) { pools_.SliceChanged(before, after); });
  objects.device_taint_rules.set_listener(
      [this](const auto& before, const auto& after) { pools_.RuleChanged(before, after); });
  objects.device_classes.set_listener([this](const auto& before, const auto& after) {
    extended_resources_.ClassChanged(before, after);
    pools_.EverythingChanged();
  });
}

void DeviceState::ClaimChanged(const ClaimPtr& before, const ClaimPtr& after) {
  if (before != nullptr && before->allocation) {
    RemoveUses(*before->allocation);
    allocated_.Erase(before->meta.uid);
  }
  if (after != nullptr && after->allocation) {
    AddUses(*after->allocation);
    allocated_[after->meta.uid] = after;
  }
  for (const ClaimPtr& claim : {before, after}) {
    if (claim == nullptr) continue;
    const auto found = in_flight_.find(claim->meta.uid);
    if (found != in_flight_.end()) SetCounts(found->second, !allocated_.contains(claim->meta.uid));
  }
  if (before != nullptr) {
    if (const std::string_view pod = ExtendedResourcesOf(*before); !pod.empty()) extended_claims_.Erase(pod);
  }
  if (after != nullptr) {
    if (const std::string_view pod = ExtendedResourcesOf(*after); !pod.empty()) {
      extended_claims_[std::string(pod)] = after;
    }
  }
}

void DeviceState::AddUses(const api::AllocationResult& allocation) {
  uses_.Add(allocation);
  UsesChanged(allocation);
}

void DeviceState::RemoveUses(const api::AllocationResult& allocation) {
  uses_.Remove(allocation);
  UsesChanged(allocation);
}

void DeviceState::UsesChanged(const api::AllocationResult& allocation) {
  for (const api::DeviceRequestAllocationResult& result : allocation.results) {
    pools_.UseChanged({result.driver, result.pool});
  }
}

void DeviceState::SetCounts(InFlight& in_flight, bool counts) {
  if (in_flight.counts == counts) return;
  in_flight.counts = counts;
  if (counts) {
    AddUses(in_flight.allocation);
  } else {
    RemoveUses(in_flight.allocation);
  }
}

bool DeviceState::AddInFlight(const std::string& uid, api::AllocationResult allocation, uint64_t attempt) {
  if (allocated_.contains(uid)) return false;
  const auto [entry, added] = in_flight_.try_emplace(uid);
  ++entry->second.sharers;
  if (!added) return true;
  entry->second.allocation = std::move(allocation);
  entry->second.attempt = attempt;
  SetCounts(entry->second, true);
  return true;
}

const api::AllocationResult* DeviceState::InFlightOf(std::string_view uid, uint64_t attempt) const {
  const auto found = attempt == 0 ? in_flight_.end() : in_flight_.find(uid);
  return found == in_flight_.end() || found->second.attempt != attempt ? nullptr : &found->second.allocation;
}

bool DeviceState::RemoveInFlight(std::string_view uid) {
  const auto found = in_flight_.find(uid);
  if (found == in_flight_.end() || found->second.is_abandoned()) return false;
  if (--found->second.sharers > 0) return false;
  if (found->second.writes == 0) End(found);
  return true;
}

void DeviceState::End(StringMap<InFlight>::iterator in_flight) {
  SetCounts(in_flight->second, false);
  in_flight_.erase(in_flight);
}

bool DeviceState::WriteBegins(std::string_view uid) {
  const auto found = in_flight_.find(uid);
  if (found == in_flight_.end()) return false;
  ++found->second.writes;
  return true;
}

void DeviceState::WriteEnds(std::string_view uid) {
  const auto found = in_flight_.find(uid);
  if (--found->second.writes == 0 && found->second.is_abandoned()) End(found);
}

DeviceState::ClaimPtr DeviceState::ExtendedResourceClaim(std::string_view pod_uid) const {
  const ClaimPtr* found = extended_claims_.Find(pod_uid);
  return found == nullptr ? nullptr : *found;
}

void DeviceState::AppendSizes(TableSizes& sizes) const {
  pools_.AppendSizes(sizes);
  sizes.insert(sizes.end(), {{"devices in use", uses_.size()},
                             {"claims in flight", in_flight_.size()},
                             {"allocated claims", allocated_.size()},
                             {"claims for extended resources", extended_claims_.size()},
                             {"extended resources of device classes", extended_resources_.size()},
                             {"device selectors", selectors_->size()}});
}

}  // namespace berth::cluster
