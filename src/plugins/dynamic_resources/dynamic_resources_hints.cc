// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "plugins/dynamic_resources/dynamic_resources.h"
#include "plugins/dynamic_resources/pod_claims.h"
#include "plugins/helpers/hints.h"

namespace berth::plugins {

namespace action = framework::action;
using framework::EventResource;

namespace {

bool ClaimMayHelp(const cluster::PodInfo& pod, const api::ResourceClaim* before, const api::ResourceClaim& after,
                  const cluster::Objects& objects, bool group_claims) {
  const bool is_given_back = before != nullptr && before->allocation && !after.allocation;
  if (!is_given_back && !NamesClaim(pod, after)) return false;  // So it is with nearly all pods.
  const auto claims = PodClaims(pod, objects, group_claims);
  if (!claims) return false;
  if (is_given_back) return true;
  const bool is_own = std::ranges::any_of(
      *claims, [&](const auto& claim) { return claim != nullptr && claim->meta.uid == after.meta.uid; });
  return is_own && (before == nullptr || before->status != after.status);
}

}  // namespace

std::vector<framework::EventRegistration> DynamicResources::EventsToRegister() const {
  return {
      {.event = {EventResource::kNode, action::kAdd | action::kUpdateNodeLabel | action::kUpdateNodeAllocatable}},
      {.event = {EventResource::kResourceClaim, action::kAdd | action::kUpdate | action::kDelete}, .has_hint = true},
      {.event = {EventResource::kTargetPod, action::kUpdatePodGeneratedResourceClaim}, .has_hint = true},
      {.event = {EventResource::kDeviceClass, action::kAdd | action::kUpdate}},
      {.event = {EventResource::kResourceSlice, action::kAdd | action::kUpdate}},
  };
}

Result<framework::QueueingHint> DynamicResources::Hint(const cluster::PodInfo& pod, const framework::Change& change,
                                                       const cluster::Cluster& cluster) const {
  if (const auto* updated = change.after<cluster::PodInfo>()) {
    return QueueIf(PodClaims(*updated, cluster.objects, gates_.group_claims).has_value());
  }
  const auto* before = change.before<api::ResourceClaim>();
  if (const auto* after = change.after<api::ResourceClaim>()) {
    return QueueIf(ClaimMayHelp(pod, before, *after, cluster.objects, gates_.group_claims));
  }
  return QueueIf(before->allocation.has_value());
}

}  // namespace berth::plugins
