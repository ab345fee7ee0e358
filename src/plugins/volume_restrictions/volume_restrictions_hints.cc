// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "plugins/helpers/hints.h"
#include "plugins/helpers/volume_claims.h"
#include "plugins/volume_restrictions/volume_restrictions.h"

namespace berth::plugins {

namespace action = framework::action;
using framework::EventResource;

namespace {

bool IsClaim(const api::Volume& volume) { return volume.source == api::Volume::Source::kPersistentVolumeClaim; }

// Whether one of the pods may have to wait for a volume of the other. What access mode a claim has is not looked up.
bool ContendForVolumes(const cluster::PodInfo& pod, const cluster::PodInfo& other) {
  return std::ranges::any_of(pod.spec().volumes, [&](const api::Volume& wanted) {
    return std::ranges::any_of(other.spec().volumes, [&](const api::Volume& used) {
      return DisksConflict(wanted, used) || (IsClaim(wanted) && IsClaim(used) && wanted.id == used.id);
    });
  });
}

}  // namespace

std::vector<framework::EventRegistration> VolumeRestrictions::EventsToRegister() const {
  return {
      {.event = {EventResource::kAssignedPod, action::kDelete}, .has_hint = true},
      {.event = {EventResource::kNode, action::kAdd}},
      {.event = {EventResource::kPersistentVolumeClaim, action::kAdd}, .has_hint = true},
  };
}

Result<framework::QueueingHint> VolumeRestrictions::Hint(const cluster::PodInfo& pod, const framework::Change& change,
                                                         const cluster::Cluster&) const {
  if (const auto* claim = change.after<api::PersistentVolumeClaim>()) return QueueIf(NamesClaim(pod, *claim));
  const auto* deleted = change.before<cluster::PodInfo>();
  return QueueIf(deleted->ns() == pod.ns() && ContendForVolumes(pod, *deleted));
}

}  // namespace berth::plugins
