// SPDX-License-Identifier: Apache-2.0
// What DynamicResources does for a pod or a group that does not fit: give up claims that are in the way.

#include <fmt/format.h>

#include <optional>
#include <string>

#include "plugins/dynamic_resources/dynamic_resources.h"
#include "plugins/dynamic_resources/pod_claims.h"

namespace berth::plugins {

using framework::Status;

namespace {

// Nothing is said, and others go on.
Status Silent() { return {.code = framework::StatusCode::kUnschedulable, .reasons = {}, .plugin = {}}; }

framework::DeallocateClaim Deallocate(const framework::Cycle& cycle, const api::ResourceClaim& claim) {
  return {.pod = cycle.pod_ptr(),
          .claim_name = claim.meta.name,
          .claim_uid = claim.meta.uid,
          .resource_version = claim.meta.resource_version};
}

// The claim of a group's entry; nothing if none is needed, or if it is not made yet.
std::optional<std::string> NameOf(const api::PodResourceClaim& entry, const api::PodGroup& group) {
  if (entry.claim_name) return entry.claim_name;
  for (const api::PodResourceClaimStatus& status : group.claim_statuses) {
    if (status.name == entry.name) return status.claim_name;
  }
  return std::nullopt;
}

std::string NotFound(const std::string& ns, const std::string& name) {
  return fmt::format("could not find ResourceClaim \"{}/{}\"", ns, name);
}

}  // namespace

framework::PostFilterResult DynamicResources::PostFilter(framework::Cycle& cycle, const framework::Profile&,
                                                         const framework::Diagnosis&,
                                                         framework::Effects& effects) const {
  if (cycle.pod().awaits_resize) return {.status = Silent()};
  if (cycle.state<DynamicResourcesState>(index()) == nullptr) return {.status = Status::Error("not found")};
  return {.status = GiveUpClaim(cycle, effects)};
}

Status DynamicResources::GiveUpClaim(framework::Cycle& cycle, framework::Effects& effects) const {
  const auto* state = cycle.state<DynamicResourcesState>(index());
  for (const size_t i : state->unavailable) {
    const api::ResourceClaim& claim = *state->claims[i].claim;
    const auto& consumers = claim.reserved_for;
    if (i >= state->named_count || consumers.size() > 1) continue;
    if (!consumers.empty() && consumers.front().uid != cycle.pod().uid) continue;
    effects.emplace_back(Deallocate(cycle, claim));
    return Status::Unschedulable("deallocation of ResourceClaim completed");
  }
  if (state->has_extended_claim() && state->extended_claim().claim->meta.name != kInMemoryClaimName) {
    const api::ResourceClaim& claim = *state->extended_claim().claim;
    effects.emplace_back(
        framework::DeleteClaim{.pod = cycle.pod_ptr(), .claim_name = claim.meta.name, .claim_uid = claim.meta.uid});
    return Status::Unschedulable("deletion of ResourceClaim completed");
  }
  return Silent();
}

framework::GroupPostFilterResult DynamicResources::PodGroupPostFilter(framework::FailedGroup& group,
                                                                      framework::Effects& effects) const {
  if (group.root.key.is_composite || (gates_.placements && group.root.spec().topology_key)) return {Silent()};
  bool any_tried = false;
  bool is_stuck = false;
  for (framework::Cycle* cycle : group.cycles) {
    if (cycle->state<DynamicResourcesState>(index()) == nullptr) continue;
    any_tried = true;
    is_stuck |= GiveUpClaim(*cycle, effects).reasons.empty();
  }
  // As upstream has it, a group whose pods did not get as far as this plugin fails with an error.
  if (!any_tried) return {Status::Error("not found")};
  if (is_stuck && gates_.group_claims) {
    Status status = GiveUpGroupClaim(group, effects);
    if (!status.ok()) return {std::move(status)};
  }
  return {Status::Unschedulable("deallocation and deletion of ResourceClaims completed")};
}

Status DynamicResources::GiveUpGroupClaim(framework::FailedGroup& group, framework::Effects& effects) const {
  const cluster::PodGroupState* members = group.cluster.groups.Find(group.root.key);
  if (members == nullptr || members->scheduled_count() > 0) return Status::Success();
  const std::string& uid = group.root.meta().uid;
  for (framework::Cycle* cycle : group.cycles) {
    const auto* state = cycle->state<DynamicResourcesState>(index());
    if (state == nullptr) continue;
    for (const size_t i : state->unavailable) {
      const api::ResourceClaim& claim = *state->claims[i].claim;
      const auto& consumers = claim.reserved_for;
      if (consumers.size() > 1 || (!consumers.empty() && consumers.front().uid != uid)) continue;
      effects.emplace_back(Deallocate(*cycle, claim));
      return Status::Unschedulable("deallocation of PodGroup ResourceClaim completed");
    }
  }
  const framework::Cycle& first = *group.cycles.front();
  for (const api::PodResourceClaim& entry : group.root.pod_group->claims) {
    const std::optional<std::string> name = NameOf(entry, *group.root.pod_group);
    if (!name) continue;
    const api::ResourceClaim* claim = group.cluster.objects.resource_claims.Find(group.root.key.ns, *name);
    if (claim == nullptr) return Status::Error(NotFound(group.root.key.ns, *name));
    if (!entry.claim_name && (claim->meta.controller() == nullptr || claim->meta.controller()->uid != uid)) continue;
    if (!claim->allocation || !IsReservedFor(*claim, first.pod(), true)) continue;
    effects.emplace_back(framework::UnreserveClaim{
        .pod = first.pod_ptr(), .claim_name = claim->meta.name, .claim_uid = claim->meta.uid, .group_uid = uid});
    return Status::Unresolvable("ResourceClaim unreserved for PodGroup");
  }
  return Status::Success();
}

}  // namespace berth::plugins
