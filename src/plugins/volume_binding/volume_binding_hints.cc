// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "plugins/helpers/csi_migration.h"
#include "plugins/helpers/hints.h"
#include "plugins/helpers/volume_claims.h"
#include "plugins/volume_binding/volume_binding.h"

namespace berth::plugins {

namespace action = framework::action;
using framework::EventResource;

namespace {

// The largest volume that can be made; absent if that is not known.
const std::optional<api::Quantity>& Limit(const api::CsiStorageCapacity& capacity) {
  return capacity.maximum_volume_size ? capacity.maximum_volume_size : capacity.capacity;
}

bool Grew(const api::CsiStorageCapacity& before, const api::CsiStorageCapacity& after) {
  const std::optional<api::Quantity>& now = Limit(after);
  return now && (!Limit(before) || now->Value() > Limit(before)->Value());
}

// Whether the driver has ceased to watch over the capacity, and the pod has a volume of it.
bool LiftsCapacityCheck(const cluster::PodInfo& pod, const api::CsiDriver& before, const api::CsiDriver& after) {
  if (!before.storage_capacity.value_or(false) || after.storage_capacity.value_or(false)) return false;
  return std::ranges::any_of(pod.spec().volumes, [&](const api::Volume& volume) {
    return volume.source == api::Volume::Source::kCsi && volume.id == after.meta.name;
  });
}

}  // namespace

std::vector<framework::EventRegistration> VolumeBinding::EventsToRegister() const {
  constexpr uint32_t kAddOrUpdate = action::kAdd | action::kUpdate;
  return {
      {.event = {EventResource::kStorageClass, kAddOrUpdate}, .has_hint = true},
      {.event = {EventResource::kPersistentVolumeClaim, kAddOrUpdate}, .has_hint = true},
      {.event = {EventResource::kPersistentVolume, kAddOrUpdate}},
      {.event = {EventResource::kNode, action::kAdd | action::kUpdateNodeLabel}},
      {.event = {EventResource::kCsiNode, kAddOrUpdate}, .has_hint = true},
      {.event = {EventResource::kCsiDriver, action::kUpdate}, .has_hint = true},
      {.event = {EventResource::kCsiStorageCapacity, kAddOrUpdate}, .has_hint = true},
  };
}

Result<framework::QueueingHint> VolumeBinding::Hint(const cluster::PodInfo& pod, const framework::Change& change,
                                                    const cluster::Cluster&) const {
  if (const auto* claim = change.after<api::PersistentVolumeClaim>()) return QueueIf(UsesClaim(pod, *claim));
  if (const auto* after = change.after<api::CsiDriver>()) {
    return QueueIf(LiftsCapacityCheck(pod, *change.before<api::CsiDriver>(), *after));
  }
  if (const auto* before = change.before<api::StorageClass>()) {
    return QueueIf(before->allowed_topologies != change.after<api::StorageClass>()->allowed_topologies);
  }
  if (const auto* before = change.before<api::CsiStorageCapacity>()) {
    return QueueIf(Grew(*before, *change.after<api::CsiStorageCapacity>()));
  }
  if (const auto* before = change.before<api::CsiNode>()) {
    const auto migrated = [](const api::CsiNode& node) {
      return node.meta.annotations.Get(kMigratedPluginsAnnotation);
    };
    return QueueIf(migrated(*before) != migrated(*change.after<api::CsiNode>()));
  }
  return QueueIf(true);  // A new storage class, storage capacity or CSI node.
}

}  // namespace berth::plugins
