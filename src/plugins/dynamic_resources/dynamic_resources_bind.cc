// SPDX-License-Identifier: Apache-2.0
// What DynamicResources does once a node is chosen: hold the devices, have the claims written, wait for devices.
#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "plugins/dynamic_resources/allocator/allocation_result.h"
#include "plugins/dynamic_resources/claim_readiness.h"
#include "plugins/dynamic_resources/dynamic_resources.h"
#include "plugins/dynamic_resources/pod_claims.h"

namespace berth::plugins {

using framework::Status;
using framework::StatusCode;
using DeviceWaitEnd = framework::Observer::DeviceWaitEnd;

namespace {

Status Waiting() { return {.code = StatusCode::kWait, .reasons = {}, .plugin = {}}; }

// The claim as it is by now; nullptr if it is gone.
ClaimPtr Newest(const framework::Cycle& cycle, const PodClaim& claim) {
  if (claim.claim->meta.name == kInMemoryClaimName) {
    return cycle.cluster().devices.ExtendedResourceClaim(cycle.pod().uid);
  }
  ClaimPtr newest = cycle.cluster().objects.resource_claims.Get(claim.claim->meta.ns, claim.claim->meta.name);
  return newest != nullptr && newest->meta.uid == claim.claim->meta.uid ? newest : nullptr;
}

// Nothing is to be written about a claim for extended resources that a device plugin provides.
bool IsNeeded(const PodClaim& claim) { return claim.allocation || claim.claim->meta.name != kInMemoryClaimName; }

framework::BindClaim BindingOf(const framework::Cycle& cycle, const PodClaim& claim, const NodeAllocation& node) {
  framework::BindClaim bind{.pod = cycle.pod_ptr(),
                            .claim = {},
                            .allocation = claim.allocation,
                            .stamps_allocation = cycle.cluster().devices.options().binding_conditions};
  bind.claim.meta = claim.claim->meta;
  bind.group = claim.group;
  if (claim.claim->meta.name == kInMemoryClaimName) {
    bind.claim.meta.name.clear();
    if (node.extended_claim != nullptr) bind.claim.requests = node.extended_claim->requests;
    bind.request_mappings = node.mappings;
  }
  return bind;
}

// The pod brings the claim these devices. Of members that share them, whoever writes first does.
void Hold(framework::Cycle& cycle, PodClaim& claim, const api::AllocationResult& allocation) {
  claim.allocation = allocation;
  claim.holds_flight =
      cycle.mutable_cluster().devices.AddInFlight(claim.claim->meta.uid, allocation, cycle.group_attempt());
}

// The pod no longer needs what is in flight for the claim.
void LetGo(framework::Cycle& cycle, PodClaim& claim) {
  if (std::exchange(claim.holds_flight, false)) {
    cycle.mutable_cluster().devices.RemoveInFlight(claim.claim->meta.uid);
  }
}

DeviceWaitEnd EndOf(const Error& error) {
  if (error.code == Code::kDeadline) return DeviceWaitEnd::kTimedOut;
  return error.code == Code::kInvalid ? DeviceWaitEnd::kFailed : DeviceWaitEnd::kError;
}

// The answer to the creation of a claim has come, or the attempt is over.
void TellOfCreation(const framework::Cycle& cycle, DynamicResourcesState& state) {
  if (!std::exchange(state.creates_claim, false) || cycle.observer() == nullptr) return;
  cycle.observer()->ClaimCreated(cycle.cluster().devices.ExtendedResourceClaim(cycle.pod().uid) != nullptr);
}

void TellOfWait(const framework::Cycle& cycle, DynamicResourcesState& state, DeviceWaitEnd end) {
  if (!std::exchange(state.waits_since, std::nullopt) || cycle.observer() == nullptr) return;
  for (const PodClaim& claim : state.claims) {
    const std::optional<api::AllocationResult>& allocation =
        claim.allocation ? claim.allocation : claim.claim->allocation;
    if (!allocation) continue;
    for (const api::DeviceRequestAllocationResult& device : allocation->results) {
      cycle.observer()->DeviceAwaited(cycle.pod(), device, end, state.wait_moment);
    }
  }
}

}  // namespace

Status DynamicResources::Reserve(framework::Cycle& cycle, cluster::NodeSlot node) const {
  auto* state = cycle.state<DynamicResourcesState>(index());
  if (state == nullptr) return Status::Error("not found");
  for (PodClaim& claim : state->claims) {
    // The member that got the devices may have been turned down meanwhile, or come later.
    if (claim.is_shared) Hold(cycle, claim, *claim.claim->allocation);
  }
  const auto found = state->nodes.find(node.index);
  if (found == state->nodes.end() || found->second.results().empty()) {
    const bool has_open_claim =
        std::ranges::any_of(state->claims.begin(), state->claims.begin() + static_cast<ptrdiff_t>(state->named_count),
                            [](const PodClaim& claim) { return !claim.is_allocated(); });
    if (has_open_claim) return Status::Error("claim allocation not found for node");
    return Status::Success();
  }
  size_t next = 0;
  for (PodClaim& claim : state->claims) {
    if (claim.is_allocated()) continue;
    api::AllocationResult allocation = found->second.results()[next];
    NameShares(allocation, fmt::format("{}/{}", cycle.pod().uid, next++));
    Hold(cycle, claim, allocation);
  }
  state->chosen = std::move(found->second);
  state->nodes.clear();
  return Status::Success();
}

void DynamicResources::Unreserve(framework::Cycle& cycle, cluster::NodeSlot node, framework::Effects& effects) const {
  auto* state = cycle.state<DynamicResourcesState>(index());
  if (state == nullptr) return;
  TellOfCreation(cycle, *state);
  TellOfWait(cycle, *state, DeviceWaitEnd::kError);
  // The node may be reserved again: members of a group are tried out first.
  if (!state->chosen.results().empty()) state->nodes[node.index] = std::exchange(state->chosen, {});
  for (size_t i = 0; i < state->claims.size(); ++i) {
    PodClaim& claim = state->claims[i];
    LetGo(cycle, claim);
    claim.allocation.reset();
    const ClaimPtr newest = Newest(cycle, claim);
    if (newest == nullptr) continue;
    if (i >= state->named_count) {
      effects.emplace_back(framework::DeleteClaim{
          .pod = cycle.pod_ptr(), .claim_name = newest->meta.name, .claim_uid = newest->meta.uid});
    } else if (newest->allocation && IsReservedFor(*newest, cycle.pod(), false)) {
      effects.emplace_back(framework::UnreserveClaim{
          .pod = cycle.pod_ptr(), .claim_name = newest->meta.name, .claim_uid = newest->meta.uid});
    }
  }
  if (state->has_patched_pod) {
    effects.emplace_back(framework::PatchPodStatus{.pod = cycle.pod_ptr(),
                                                   .condition = std::nullopt,
                                                   .nominated_node_name = std::nullopt,
                                                   .node_allocatable_claims = {{}}});
  }
  state->written = 0;
  state->has_patched_pod = false;
  state->is_ready = false;
}

Status DynamicResources::PreBindPreFlight(framework::Cycle& cycle, cluster::NodeSlot) const {
  const auto* state = cycle.state<DynamicResourcesState>(index());
  if (state == nullptr) return Status::Error("not found");
  return state->claims.empty() ? Status::Skip() : Status::Success();
}

Status DynamicResources::PreBind(framework::Cycle& cycle, cluster::NodeSlot node, Time now,
                                 framework::Effects& effects) const {
  auto* state = cycle.state<DynamicResourcesState>(index());
  if (state == nullptr) return Status::Error("not found");
  if (state->is_ready) return Status::Success();  // It is another plugin that still waits.
  if (cycle.has_unanswered_effects()) return Waiting();
  TellOfCreation(cycle, *state);
  while (state->written < state->claims.size()) {
    const PodClaim& claim = state->claims[state->written++];
    if (!IsNeeded(claim) || IsReservedFor(*claim.claim, cycle.pod(), gates_.group_claims)) continue;
    effects.emplace_back(BindingOf(cycle, claim, state->chosen));
    state->creates_claim = claim.claim->meta.name == kInMemoryClaimName;
    return Waiting();
  }
  if (!state->chosen.node_allocatable_claims.empty() && !state->has_patched_pod) {
    state->has_patched_pod = true;
    effects.emplace_back(framework::PatchPodStatus{.pod = cycle.pod_ptr(),
                                                   .condition = std::nullopt,
                                                   .nominated_node_name = std::nullopt,
                                                   .node_allocatable_claims = state->chosen.node_allocatable_claims});
    return Waiting();
  }
  Status status = AwaitDevices(cycle, node, now, *state, effects);
  if (!status.ok()) return status;
  for (PodClaim& claim : state->claims) LetGo(cycle, claim);
  state->is_ready = true;
  return Status::Success();
}

Status DynamicResources::AwaitDevices(framework::Cycle& cycle, cluster::NodeSlot node, Time now,
                                      DynamicResourcesState& state, framework::Effects& effects) const {
  if (!cycle.cluster().devices.options().binding_conditions) return Status::Success();
  const bool must_wait = std::ranges::any_of(state.claims, [&](const PodClaim& claim) {
    if (claim.allocation)
      return std::ranges::any_of(claim.allocation->results,
                                 [](const auto& result) { return !result.binding_conditions.empty(); });
    return HasBindingConditions(*claim.claim);
  });
  if (!must_wait) return Status::Success();
  if (!state.waits_since) {
    state.waits_since = now;
    if (cycle.observer() != nullptr) state.wait_moment = cycle.observer()->Start();
    effects.emplace_back(framework::RecordEvent{
        .pod = cycle.pod_ptr(),
        .type = "Normal",
        .reason = "BindingConditionsPending",
        .action = "Scheduling",
        .note = fmt::format("waiting for binding conditions for device on node {}", cycle.nodes().name[node.index]),
        .reporter = cycle.pod().spec().scheduler_name});
  }
  Result<bool> ready = DevicesAreReady(cycle, now, state);
  if (ready && !*ready) {
    if (now - *state.waits_since < binding_timeout_) return Waiting();
    ready = Fail(Code::kDeadline, "device binding timeout: context deadline exceeded");
  }
  TellOfWait(cycle, state, ready ? DeviceWaitEnd::kReady : EndOf(ready.error()));
  return ready ? Status::Success() : Status::Error(ready.error().message);
}

Result<bool> DynamicResources::DevicesAreReady(const framework::Cycle& cycle, Time now,
                                               const DynamicResourcesState& state) const {
  for (const PodClaim& claim : state.claims) {
    if (!IsNeeded(claim)) continue;
    const ClaimPtr newest = Newest(cycle, claim);
    if (newest == nullptr) {
      return Fail(Code::kNotFound,
                  fmt::format("could not find ResourceClaim \"{}\"", api::FullName(claim.claim->meta)));
    }
    if (BERTH_TRY(IsReadyForBinding(*newest))) continue;
    if (BindingTimedOut(*newest, binding_timeout_, now)) {
      return Fail(Code::kDeadline, "device binding timeout: claim=" + newest->meta.name);
    }
    return false;
  }
  return true;
}

}  // namespace berth::plugins
