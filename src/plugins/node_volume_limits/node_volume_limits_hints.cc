// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include <fmt/format.h>

#include "plugins/helpers/csi_migration.h"
#include "plugins/helpers/hints.h"
#include "plugins/helpers/volume_claims.h"
#include "plugins/node_volume_limits/attached_volumes.h"
#include "plugins/node_volume_limits/node_volume_limits.h"

namespace berth::plugins {

namespace action = framework::action;
using framework::EventResource;

namespace {

// The limit of the driver on the node; 0 if there is none.
int32_t LimitOrZero(const api::CsiNode& node, std::string_view driver) {
  // When a driver is listed twice, the last one counts.
  for (auto it = node.drivers.rbegin(); it != node.drivers.rend(); ++it) {
    if (it->name == driver) return it->allocatable_count.value_or(0);
  }
  return 0;
}

bool SomeLimitGrew(const api::CsiNode& before, const api::CsiNode& after) {
  return std::ranges::any_of(after.drivers, [&](const api::CsiNode::Driver& driver) {
    return driver.allocatable_count.value_or(0) > LimitOrZero(before, driver.name);
  });
}

// Whether a volume that is detached by `attacher` may have stood in the way of the pod.
Result<bool> MayFreeRoom(const cluster::PodInfo& pod, std::string_view attacher) {
  for (const api::Volume& volume : pod.spec().volumes) {
    if (volume.source == api::Volume::Source::kPersistentVolumeClaim) return true;
    const MigratedPlugin* migration = FindMigration(volume.source);
    if (migration == nullptr) continue;
    if (const Result<std::string> handle = InlineVolumeHandle(volume); !handle) {
      return Invalid(fmt::format("converting volume({}) from inline to csi: {}", volume.name, handle.error().message));
    }
    if (migration->csi_driver == attacher) return true;
  }
  return false;
}

}  // namespace

std::vector<framework::EventRegistration> NodeVolumeLimits::EventsToRegister() const {
  return {
      {.event = {EventResource::kCsiNode, action::kAdd}},
      {.event = {EventResource::kCsiNode, action::kUpdate}, .has_hint = true},
      {.event = {EventResource::kAssignedPod, action::kDelete}, .has_hint = true},
      {.event = {EventResource::kPersistentVolumeClaim, action::kAdd}, .has_hint = true},
      {.event = {EventResource::kVolumeAttachment, action::kDelete}, .has_hint = true},
  };
}

Result<framework::QueueingHint> NodeVolumeLimits::Hint(const cluster::PodInfo& pod, const framework::Change& change,
                                                       const cluster::Cluster&) const {
  if (const auto* after = change.after<api::CsiNode>()) {
    return QueueIf(SomeLimitGrew(*change.before<api::CsiNode>(), *after));
  }
  if (const auto* claim = change.after<api::PersistentVolumeClaim>()) return QueueIf(UsesClaim(pod, *claim));
  if (const auto* detached = change.before<api::VolumeAttachment>()) {
    return QueueIf(BERTH_TRY(MayFreeRoom(pod, detached->attacher)));
  }
  const auto* deleted = change.before<cluster::PodInfo>();
  return QueueIf(TakesRoom(*deleted) && std::ranges::any_of(deleted->spec().volumes, MayBeCsiVolume));
}

}  // namespace berth::plugins
