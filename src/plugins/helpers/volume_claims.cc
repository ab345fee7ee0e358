// SPDX-License-Identifier: Apache-2.0
#include "plugins/helpers/volume_claims.h"

#include <algorithm>

#include <fmt/format.h>

namespace berth::plugins {

bool NamesClaim(const cluster::PodInfo& pod, const api::PersistentVolumeClaim& claim) {
  return claim.meta.ns == pod.ns() && std::ranges::any_of(pod.spec().volumes, [&](const api::Volume& volume) {
           return volume.source == api::Volume::Source::kPersistentVolumeClaim && volume.id == claim.meta.name;
         });
}

bool UsesClaim(const cluster::PodInfo& pod, const api::PersistentVolumeClaim& claim) {
  return claim.meta.ns == pod.ns() && std::ranges::any_of(pod.spec().volumes, [&](const api::Volume& volume) {
           return ClaimName(pod, volume) == claim.meta.name;
         });
}

std::string EphemeralClaimError(const cluster::PodInfo& pod, const api::PersistentVolumeClaim& claim) {
  const api::OwnerReference* owner = claim.meta.controller();
  if (claim.meta.ns == pod.ns() && owner != nullptr && owner->uid == pod.uid) return {};
  return fmt::format("PVC {}/{} was not created for pod {}/{} (pod is not owner)", claim.meta.ns, claim.meta.name,
                     pod.ns(), pod.name);
}

std::string ClaimNotFound(std::string_view name) { return fmt::format("persistentvolumeclaim \"{}\" not found", name); }

std::string VolumeNotFound(std::string_view name) { return fmt::format("persistentvolume \"{}\" not found", name); }

std::string StorageClassNotFound(std::string_view name) {
  return fmt::format("storageclass.storage.k8s.io \"{}\" not found", name);
}

}  // namespace berth::plugins
