// SPDX-License-Identifier: Apache-2.0
#include "plugins/dynamic_resources/pod_claims.h"

#include <algorithm>
#include <optional>
#include <string>

#include <fmt/format.h>

namespace berth::plugins {
namespace {

// The name of the claim; absent if none is needed.
Result<std::optional<std::string>> ClaimNameOf(const cluster::PodInfo& pod, const api::PodResourceClaim& entry) {
  if (entry.claim_name) return entry.claim_name;
  if (!entry.template_name) {
    return Invalid(fmt::format("pod \"{}\", spec.resourceClaim \"{}\": none of the supported fields are set",
                               pod.full_name(), entry.name));
  }
  if (pod.status) {
    for (const api::PodResourceClaimStatus& status : pod.status->resource_claim_statuses) {
      if (status.name == entry.name) return status.claim_name;
    }
  }
  return Invalid(fmt::format("pod \"{}\": ResourceClaim not created yet", pod.full_name()));
}

using ClaimHandle = std::shared_ptr<const api::ResourceClaim>;

constexpr std::string_view kGroupApi = "scheduling.k8s.io";

bool IsOwnedByGroup(const api::OwnerReference* owner, const std::string& group) {
  return owner != nullptr && owner->name == group && owner->kind == "PodGroup" &&
         owner->api_version.starts_with(std::string(kGroupApi) + "/");
}

Result<ClaimHandle> FindClaim(const cluster::PodInfo& pod, const std::string& name, bool made_for_pod,
                              const cluster::Objects& objects, bool group_claims) {
  ClaimHandle claim = objects.resource_claims.Get(pod.ns(), name);
  if (claim == nullptr) {
    return Fail(Code::kNotFound, fmt::format("could not find ResourceClaim \"{}/{}\"", pod.ns(), name));
  }
  if (claim->meta.deletion_timestamp) return Invalid(fmt::format("resourceclaim \"{}\" is being deleted", name));
  const api::OwnerReference* owner = claim->meta.controller();
  const std::string& group = pod.spec().scheduling_group;
  if (made_for_pod && (owner == nullptr || owner->uid != pod.uid)) {
    if (group_claims && IsOwnedByGroup(owner, group)) return claim;
    if (group_claims && !group.empty()) {
      return Invalid(
          fmt::format("ResourceClaim {}/{} was not created for Pod {} (neither Pod nor PodGroup {} is the owner)",
                      pod.ns(), name, pod.full_name(), group));
    }
    return Invalid(fmt::format("ResourceClaim {}/{} was not created for Pod {} (Pod is not owner)", pod.ns(), name,
                               pod.full_name()));
  }
  return claim;
}

}  // namespace

bool NamesClaim(const cluster::PodInfo& pod, const api::ResourceClaim& claim) {
  if (pod.ns() != claim.meta.ns) return false;
  const auto is_named = [&](const api::PodResourceClaim& entry) { return entry.claim_name == claim.meta.name; };
  const auto was_made = [&](const api::PodResourceClaimStatus& made) { return made.claim_name == claim.meta.name; };
  return std::ranges::any_of(pod.spec().resource_claims, is_named) ||
         (pod.status && std::ranges::any_of(pod.status->resource_claim_statuses, was_made));
}

bool IsReservedFor(const api::ResourceClaim& claim, const cluster::PodInfo& pod, bool group_claims) {
  const std::string& group = pod.spec().scheduling_group;
  return std::ranges::any_of(claim.reserved_for, [&](const api::ResourceClaimConsumer& consumer) {
    if (consumer.uid == pod.uid) return true;
    return group_claims && !group.empty() && consumer.api_group == kGroupApi && consumer.resource == "podgroups" &&
           consumer.name == group;
  });
}

std::optional<api::ResourceClaimConsumer> GroupOfClaim(const api::PodResourceClaim& entry, const api::PodGroup* group) {
  if (group == nullptr || std::ranges::find(group->claims, entry) == group->claims.end()) return std::nullopt;
  return api::ResourceClaimConsumer{
      .api_group = std::string(kGroupApi), .resource = "podgroups", .name = group->meta.name, .uid = group->meta.uid};
}

Result<std::vector<ClaimHandle>> PodClaims(const cluster::PodInfo& pod, const cluster::Objects& objects,
                                           bool group_claims) {
  std::vector<ClaimHandle> claims;
  for (const api::PodResourceClaim& entry : pod.spec().resource_claims) {
    const std::optional<std::string> name = BERTH_TRY(ClaimNameOf(pod, entry));
    claims.push_back(name ? BERTH_TRY(FindClaim(pod, *name, !entry.claim_name, objects, group_claims)) : nullptr);
  }
  return claims;
}

}  // namespace berth::plugins
