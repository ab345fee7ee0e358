// SPDX-License-Identifier: Apache-2.0
#include "server/controllers/sets/stateful_claims.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "server/controllers/sets/stateful_pods.h"

namespace berth::server {
namespace {

bool GoesWhen(const Json& spec, std::string_view when) {
  return spec["persistentVolumeClaimRetentionPolicy"][when].text() == "Delete";
}

Refusal ClaimFailure(std::string message) {
  return Refusal(StatusError{.reason = "InternalError", .message = std::move(message)});
}

}  // namespace

StatefulClaims::StatefulClaims(const Controller& controller, const Cluster& cluster, const StoredObject& set,
                               const Json& spec, int64_t ordinal, bool is_condemned)
    : controller_(controller),
      cluster_(cluster),
      set_(set),
      spec_(spec),
      ordinal_(ordinal),
      is_condemned_(is_condemned),
      goes_with_set_(GoesWhen(spec, "whenDeleted")),
      goes_with_scale_(GoesWhen(spec, "whenScaled")),
      pod_name_(StatefulPodName(set, ordinal)),
      resource_(cluster.Get("", "persistentvolumeclaims")) {}

std::string StatefulClaims::NameOf(const Json& claim_template) const {
  return StatefulClaimName(set_, claim_template["metadata"]["name"].text(), ordinal_);
}

Json StatefulClaims::Body(const Json& claim_template) const {
  Json claim = claim_template;
  claim.Set("apiVersion", "v1");
  claim.Set("kind", "PersistentVolumeClaim");
  claim.Erase("status");
  claim.Make("metadata").Set("name", NameOf(claim_template));
  claim.Make("metadata").Set("namespace", set_.ns());
  for (const Json::Member& label : spec_["selector"]["matchLabels"].members()) {
    claim.Make({"metadata", "labels"}).Set(label.name, label.value);
  }
  return claim;
}

Outcome<void> StatefulClaims::Make(const PodControl& control) const {
  for (const Json& claim_template : spec_["volumeClaimTemplates"].items()) {
    const std::string name = NameOf(claim_template);
    if (const ObjectPtr present = cluster_.store().Find(resource_, set_.ns(), name)) {
      if (present->is_being_deleted()) return ClaimFailure(fmt::format("pvc {} is being deleted", name));
      continue;
    }
    const auto created = cluster_.objects.Create(resource_, set_.ns(), Body(claim_template),
                                                 {.manager = std::string(kControllerManager)});
    if (created) {
      control.Report("Normal", "SuccessfulCreate",
                     fmt::format("Create Claim {} Pod {} in StatefulSet {} success", name, pod_name_, set_.name()));
      continue;
    }
    const std::string& why = created.error().message;
    control.Report("Warning", "FailedCreate",
                   fmt::format("Create Claim {} for Pod {} in StatefulSet {} failed error: {}", name, pod_name_,
                               set_.name(), why));
    return ClaimFailure(fmt::format("failed to create PVC {}: {}", name, why));
  }
  return {};
}

bool StatefulClaims::AreStale() const {
  if (!goes_with_scale_) return false;
  return std::ranges::any_of(spec_["volumeClaimTemplates"].items(), [&](const Json& claim_template) {
    const ObjectPtr claim = cluster_.store().Find(resource_, set_.ns(), NameOf(claim_template));
    return claim != nullptr &&
           std::ranges::any_of(claim->owners().items(), [&](const Json& owner) { return IsOfPod(owner); });
  });
}

Outcome<void> StatefulClaims::SetOwners(const PodControl& control, const StoredObject& pod) const {
  for (const Json& claim_template : spec_["volumeClaimTemplates"].items()) {
    const std::string name = NameOf(claim_template);
    const ObjectPtr claim = cluster_.store().Find(resource_, set_.ns(), name);
    if (claim == nullptr) continue;
    const Json next = NextOwners(claim->owners(), pod);
    if (HasForeignController(claim->owners(), pod)) {
      control.Report("Warning", "ConflictingController",
                     fmt::format("PersistentVolumeClaim {} has a conflicting OwnerReference that acts as a manging "
                                 "controller, the retention policy is ignored for this claim",
                                 name));
    }
    if (next.is_null()) continue;
    const Outcome<void> written = EditObject(cluster_, *claim, [&](Json& changed) {
      changed.Make("metadata").Set("ownerReferences", next);
      if (next.empty()) changed.Make("metadata").Erase("ownerReferences");
    });
    if (written || Succeeded(controller_, written)) continue;
    return ClaimFailure(
        fmt::format("could not update claim {} for delete policy ownerRefs: {}", name, written.error().message));
  }
  return {};
}

StatefulClaims::Owner StatefulClaims::Wanted() const {
  if (goes_with_scale_ && is_condemned_) return Owner::kPod;
  return goes_with_set_ ? Owner::kSet : Owner::kNobody;
}

bool StatefulClaims::IsOfSet(const Json& owner) const {
  return owner["apiVersion"].text() == "apps/v1" && owner["kind"].text() == "StatefulSet" &&
         owner["name"].text() == set_.name();
}

bool StatefulClaims::IsOfPod(const Json& owner) const {
  return owner["apiVersion"].text() == "v1" && owner["kind"].text() == "Pod" && owner["name"].text() == pod_name_;
}

// Where all claims are kept, others may own them as they like.
bool StatefulClaims::HasForeignController(const Json& owners, const StoredObject& pod) const {
  if (keeps_all()) return false;
  return std::ranges::any_of(owners.items(), [&](const Json& owner) {
    if (IsOfSet(owner)) return owner["uid"].text() != set_.uid();
    if (IsOfPod(owner)) return owner["uid"].text() != pod.uid();
    return owner["controller"].AsBool();
  });
}

Json StatefulClaims::NextOwners(const Json& owners, const StoredObject& pod) const {
  const auto is_ours = [&](const Json& owner) {
    return owner["uid"].text() == set_.uid() || owner["uid"].text() == pod.uid();
  };
  Json::List next;
  bool has_ours = false;
  for (const Json& owner : owners.items()) {
    const bool is_named = IsOfSet(owner) || IsOfPod(owner);
    if (is_named && !is_ours(owner)) return {};  // It goes with an earlier one of that name.
    has_ours = has_ours || is_ours(owner);
    if (!is_named) next.push_back(owner);
  }
  if (HasForeignController(owners, pod)) return has_ours ? Json::MakeList(std::move(next)) : Json();
  if (Wanted() == Owner::kSet) next.push_back(ControllerReference(set_));
  if (Wanted() == Owner::kPod) next.push_back(ControllerReference(pod));
  Json wanted = Json::MakeList(std::move(next));
  return wanted == owners || (wanted.empty() && owners.empty()) ? Json() : wanted;
}

}  // namespace berth::server
