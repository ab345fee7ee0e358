// SPDX-License-Identifier: Apache-2.0
#include "plugins/volume_binding/volume_reservation.h"

#include <memory>
#include <span>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "plugins/helpers/volume_claims.h"
#include "plugins/volume_binding/bound_volumes.h"
#include "plugins/volume_binding/claim_options.h"

namespace berth::plugins {
namespace {

api::ObjectReference ReferenceTo(const api::PersistentVolumeClaim& claim) {
  return {.kind = "PersistentVolumeClaim",
          .api_version = "v1",
          .ns = claim.meta.ns,
          .name = claim.meta.name,
          .uid = claim.meta.uid,
          .resource_version = claim.meta.resource_version};
}

std::unexpected<Error> WithPrefix(std::string_view prefix, const Error& error) {
  return Fail(error.code, fmt::format("{}{}", prefix, error.message));
}

Result<void> CheckNode(const api::PersistentVolume& volume, const api::Node& node, const cluster::Objects& objects,
                       std::string_view translation_prefix) {
  const Result<std::string> mismatch = VolumeMismatch(volume, node, objects);
  if (!mismatch) return WithPrefix(translation_prefix, mismatch.error());
  if (mismatch->empty()) return {};
  return Fail(Code::kConflict, fmt::format("pv \"{}\" node affinity doesn't match node \"{}\": {}", volume.meta.name,
                                           node.meta.name, *mismatch));
}

// The store still holds the version that the update was made from.
bool IsPending(bool is_update, const api::ObjectMeta& sent, const api::ObjectMeta& stored) {
  return is_update && !sent.resource_version.empty() && sent.resource_version == stored.resource_version;
}

}  // namespace

Result<VolumeReservation> VolumeReservation::Make(const DelayedClaims& claims, cluster::NodeSlot node,
                                                  cluster::Cluster& cluster) {
  VolumeReservation reservation;
  reservation.node_name_ = cluster.nodes().name[node.index];
  const std::span<const DelayedClaims::Choice> choices = claims.choices(node);
  Result<void> done;
  for (size_t i = 0; i < choices.size() && done; ++i) {
    if (choices[i].volume == nullptr) continue;
    done = reservation.Bind(*choices[i].volume, claims.claim(i), cluster.assumed_volumes);
  }
  for (size_t i = 0; i < choices.size() && done; ++i) {
    if (choices[i].volume == nullptr) done = reservation.Provision(claims.claim(i), cluster.assumed_volumes);
  }
  if (done) return reservation;
  reservation.Restore(cluster.assumed_volumes);
  return std::unexpected(std::move(done).error());
}

Result<void> VolumeReservation::Bind(const api::PersistentVolume& volume, const api::PersistentVolumeClaim& claim,
                                     cluster::AssumedVolumes& assumed) {
  Binding binding{.volume = volume, .claim_ns = claim.meta.ns, .claim_name = claim.meta.name};
  if (!IsReservedFor(volume, claim) && !volume.meta.annotations.Has(kBoundByControllerAnnotation)) {
    binding.volume.meta.annotations.Set(std::string(kBoundByControllerAnnotation), "yes");
    binding.is_update = true;
  }
  if (!IsReservedFor(volume, claim) || volume.claim_ref->uid != claim.meta.uid) {
    binding.volume.claim_ref = ReferenceTo(claim);
    binding.is_update = true;
  }
  if (binding.is_update) BERTH_CHECK_OK(assumed.volumes.Assume(binding.volume));
  bindings_.push_back(std::move(binding));
  return {};
}

Result<void> VolumeReservation::Provision(const api::PersistentVolumeClaim& claim, cluster::AssumedVolumes& assumed) {
  Provisioning provisioning{.claim = claim};
  provisioning.is_update = claim.meta.annotations.Get(kSelectedNodeAnnotation) != node_name_;
  provisioning.claim.meta.annotations.Set(std::string(kSelectedNodeAnnotation), node_name_);
  BERTH_CHECK_OK(assumed.claims.Assume(provisioning.claim));
  provisionings_.push_back(std::move(provisioning));
  return {};
}

void VolumeReservation::Restore(cluster::AssumedVolumes& assumed) const {
  for (const Binding& binding : bindings_) assumed.volumes.Restore(binding.volume);
  for (const Provisioning& provisioning : provisionings_) assumed.claims.Restore(provisioning.claim);
}

void VolumeReservation::Emit(framework::Effects& effects) const {
  for (const Binding& binding : bindings_) effects.emplace_back(framework::UpdatePersistentVolume{binding.volume});
  for (const Provisioning& provisioning : provisionings_) {
    effects.emplace_back(framework::UpdatePersistentVolumeClaim{provisioning.claim});
  }
}

Result<bool> VolumeReservation::Check(const framework::Cycle& cycle) const {
  const cluster::Cluster& cluster = cycle.cluster();
  cluster::NodeSlot slot;
  if (!cluster.nodes().Find(node_name_, slot) || cluster.nodes().has_node[slot.index] == 0) {
    return Fail(Code::kNotFound, fmt::format("failed to get node \"{0}\": node \"{0}\" not found", node_name_));
  }
  const api::Node& node = *cluster.nodes().node[slot.index];
  if (cycle.pod_is_gone()) {
    return Fail(Code::kNotFound, fmt::format("pod does not exist any more: pod \"{}\" not found", cycle.pod().name));
  }
  for (const Binding& binding : bindings_) {
    if (!BERTH_TRY(CheckBinding(binding, node, cluster))) return false;
  }
  for (const Provisioning& provisioning : provisionings_) {
    if (!BERTH_TRY(CheckProvisioning(provisioning, node, cluster))) return false;
  }
  return true;
}

Result<bool> VolumeReservation::CheckBinding(const Binding& binding, const api::Node& node,
                                             const cluster::Cluster& cluster) {
  const auto volume = cluster.assumed_volumes.volumes.GetStored("", binding.volume.meta.name);
  if (!volume) return WithPrefix("failed to check binding: ", volume.error());
  const auto claim = cluster.assumed_volumes.claims.GetStored(binding.claim_ns, binding.claim_name);
  if (!claim) return WithPrefix("failed to check binding: ", claim.error());
  if (IsPending(binding.is_update, binding.volume.meta, (*volume)->meta)) return false;
  BERTH_CHECK_OK(CheckNode(**volume, node, cluster.objects, "failed to translate pv to csi: "));
  if (!(*volume)->claim_ref || (*volume)->claim_ref->uid.empty()) {
    return Fail(Code::kConflict, fmt::format("ClaimRef got reset for pv \"{}\"", (*volume)->meta.name));
  }
  return IsFullyBound(**claim);
}

Result<bool> VolumeReservation::CheckProvisioning(const Provisioning& provisioning, const api::Node& node,
                                                  const cluster::Cluster& cluster) const {
  const api::ObjectMeta& sent = provisioning.claim.meta;
  const auto stored = cluster.assumed_volumes.claims.GetStored(sent.ns, sent.name);
  if (!stored) return WithPrefix("failed to check provisioning pvc: ", stored.error());
  const api::PersistentVolumeClaim& claim = **stored;
  if (IsPending(provisioning.is_update, sent, claim.meta)) return false;
  if (claim.meta.annotations.empty()) {
    return Fail(Code::kConflict, fmt::format("selectedNode annotation reset for PVC \"{}\"", claim.meta.name));
  }
  // A provisioner that gives up takes the annotation away.
  if (claim.meta.annotations.Get(kSelectedNodeAnnotation) != node_name_) {
    return Fail(Code::kConflict, fmt::format("provisioning failed for PVC \"{}\"", claim.meta.name));
  }
  if (!claim.volume_name.empty()) {
    const auto volume = cluster.assumed_volumes.volumes.GetStored("", claim.volume_name);
    if (!volume) return false;  // It may be known later than the claim.
    BERTH_CHECK_OK(CheckNode(**volume, node, cluster.objects, ""));
  }
  return IsFullyBound(claim);
}

}  // namespace berth::plugins
