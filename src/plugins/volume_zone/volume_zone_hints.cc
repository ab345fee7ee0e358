// SPDX-License-Identifier: Apache-2.0
#include "plugins/helpers/hints.h"
#include "plugins/helpers/volume_claims.h"
#include "plugins/volume_zone/volume_topology.h"
#include "plugins/volume_zone/volume_zone.h"

namespace berth::plugins {

namespace action = framework::action;
using framework::EventResource;

namespace {

std::vector<VolumeTopology> TopologiesOf(const api::PersistentVolume& volume) {
  std::vector<VolumeTopology> topologies;
  AppendTopologies(volume, topologies);
  return topologies;
}

}  // namespace

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
