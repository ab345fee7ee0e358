// SPDX-License-Identifier: Apache-2.0
#include "plugins/volume_zone/volume_zone.h"

#include <algorithm>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "plugins/helpers/hints.h"
#include "plugins/helpers/node_memo.h"
#include "plugins/helpers/volume_claims.h"
#include "plugins/volume_zone/volume_topology.h"

namespace berth::plugins {

namespace action = framework::action;
using framework::EventResource;

namespace {

using framework::Status;

struct VolumeZoneState : framework::PluginState {
  std::vector<VolumeTopology> topologies;
};

// Whether an unbound claim is left to VolumeBinding; otherwise why the pod has to wait.
Status CheckUnbound(const api::PersistentVolumeClaim& claim, const cluster::Objects& objects) {
  const std::string_view class_name = StorageClassName(claim);
  if (class_name.empty()) {
    return Status::Unresolvable("PersistentVolumeClaim had no pv name and storageClass name");
  }
  const api::StorageClass* storage_class = objects.storage_classes.Find("", class_name);
  if (storage_class == nullptr) return Status::Unresolvable(StorageClassNotFound(class_name));
  if (!storage_class->volume_binding_mode) {
    return Status::Unresolvable(fmt::format("VolumeBindingMode not set for StorageClass \"{}\"", class_name));
  }
  if (*storage_class->volume_binding_mode == kWaitForFirstConsumer) return Status::Success();
  return Status::Unresolvable("PersistentVolume had no name");
}

Status ReadClaim(const cluster::PodInfo& pod, const std::string& claim_name, const cluster::Objects& objects,
                 std::vector<VolumeTopology>& topologies) {
  if (claim_name.empty()) return Status::Unresolvable("PersistentVolumeClaim had no name");
  const api::PersistentVolumeClaim* claim = objects.persistent_volume_claims.Find(pod.ns(), claim_name);
  if (claim == nullptr) return Status::Unresolvable(ClaimNotFound(claim_name));
  if (claim->volume_name.empty()) return CheckUnbound(*claim, objects);
  const api::PersistentVolume* volume = objects.persistent_volumes.Find("", claim->volume_name);
  if (volume == nullptr) return Status::Unresolvable(VolumeNotFound(claim->volume_name));
  AppendTopologies(*volume, topologies);
  return Status::Success();
}

Status ReadTopologies(const framework::Cycle& cycle, std::vector<VolumeTopology>& topologies) {
  const cluster::PodInfo& pod = cycle.pod();
  for (const api::Volume& volume : pod.spec().volumes) {
    if (volume.source != api::Volume::Source::kPersistentVolumeClaim) continue;
    Status status = ReadClaim(pod, volume.id, cycle.cluster().objects, topologies);
    if (!status.ok()) return status;
  }
  return Status::Success();
}

bool Conflicts(const std::vector<VolumeTopology>& topologies, const api::Labels& node_labels) {
  const auto on_node = [&](std::string_view label) { return node_labels.Has(label); };
  if (std::ranges::none_of(kTopologyLabels, on_node)) return false;
  return !std::ranges::all_of(topologies, [&](const VolumeTopology& t) { return t.Matches(node_labels); });
}

std::vector<VolumeTopology> TopologiesOf(const api::PersistentVolume& volume) {
  std::vector<VolumeTopology> topologies;
  AppendTopologies(volume, topologies);
  return topologies;
}

}  // namespace

framework::PreFilterResult VolumeZone::PreFilter(framework::Cycle& cycle) const {
  if (cycle.pod().spec().volumes.empty()) return {Status::Skip()};
  std::vector<VolumeTopology> topologies;
  Status status = ReadTopologies(cycle, topologies);
  if (!status.ok()) return {std::move(status)};
  if (topologies.empty()) return {Status::Skip()};
  cycle.MakeState<VolumeZoneState>(index()).topologies = std::move(topologies);
  return {Status::Success()};
}

void VolumeZone::Filter(framework::Cycle& cycle, framework::Candidates& candidates) const {
  const VolumeZoneState* state = cycle.state<VolumeZoneState>(index());
  if (state == nullptr) {
    // PreFilter is turned off for this plugin.
    VolumeZoneState& made = cycle.MakeState<VolumeZoneState>(index());
    const Status status = ReadTopologies(cycle, made.topologies);
    if (!status.ok()) return candidates.RejectAll(status.code, status.reasons.front());
    state = &made;
  }
  NodeMemo<bool> conflicts(cycle.nodes(), false);
  candidates.RejectIf(framework::StatusCode::kUnschedulableAndUnresolvable, kConflict, [&](cluster::NodeSlot slot) {
    return conflicts.Get(
        slot, [&](const api::Labels& labels, std::string_view) { return Conflicts(state->topologies, labels); });
  });
}

std::vector<framework::EventRegistration> VolumeZone::EventsToRegister() const {
  return {
      {.event = {EventResource::kStorageClass, action::kAdd}, .has_hint = true},
      {.event = {EventResource::kNode, action::kAdd | action::kUpdateNodeLabel}},
      {.event = {EventResource::kPersistentVolumeClaim, action::kAdd | action::kUpdate}, .has_hint = true},
      {.event = {EventResource::kPersistentVolume, action::kAdd | action::kUpdate}, .has_hint = true},
  };
}

Result<framework::QueueingHint> VolumeZone::Hint(const cluster::PodInfo& pod, const framework::Change& change,
                                                 const cluster::Cluster&) const {
  if (const auto* added = change.after<api::StorageClass>()) {
    return QueueIf(added->volume_binding_mode == kWaitForFirstConsumer);
  }
  if (const auto* claim = change.after<api::PersistentVolumeClaim>()) return QueueIf(NamesClaim(pod, *claim));
  const auto* before = change.before<api::PersistentVolume>();
  return QueueIf(before == nullptr || TopologiesOf(*before) != TopologiesOf(*change.after<api::PersistentVolume>()));
}

}  // namespace berth::plugins
