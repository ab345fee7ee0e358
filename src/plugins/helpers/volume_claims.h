// SPDX-License-Identifier: Apache-2.0
// What the volume plugins read from pods, claims and volumes: claim names, storage classes, annotations, error texts.

#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "api/objects/storage.h"
#include "cluster/pod_info.h"

namespace berth::plugins {

// On a claim: it is bound for good.
inline constexpr std::string_view kBindCompletedAnnotation = "pv.kubernetes.io/bind-completed";
// On a volume: the binding was not made by a user.
inline constexpr std::string_view kBoundByControllerAnnotation = "pv.kubernetes.io/bound-by-controller";
// On a claim: the node for which a volume is to be provisioned.
inline constexpr std::string_view kSelectedNodeAnnotation = "volume.kubernetes.io/selected-node";
// The old way to name a storage class.
inline constexpr std::string_view kStorageClassAnnotation = "volume.beta.kubernetes.io/storage-class";

inline constexpr std::string_view kStorageResource = "storage";
inline constexpr std::string_view kWaitForFirstConsumer = "WaitForFirstConsumer";

// The claim behind a volume of the pod: named by the volume, or made for it. Absent if the volume uses no claim.
inline std::optional<std::string> ClaimName(const cluster::PodInfo& pod, const api::Volume& volume) {
  if (volume.source == api::Volume::Source::kPersistentVolumeClaim) return volume.id;
  if (volume.source == api::Volume::Source::kEphemeral) return pod.name + "-" + volume.name;
  return std::nullopt;
}

// Whether a volume of the pod names the claim.
bool NamesClaim(const cluster::PodInfo& pod, const api::PersistentVolumeClaim& claim);
// The same, or the claim has the name of one that is made for a volume of the pod.
bool UsesClaim(const cluster::PodInfo& pod, const api::PersistentVolumeClaim& claim);

// Why a claim cannot serve as the ephemeral volume of the pod; empty if it can.
std::string EphemeralClaimError(const cluster::PodInfo& pod, const api::PersistentVolumeClaim& claim);

// Name of the storage class; empty if there is none.
inline std::string_view StorageClassName(const api::PersistentVolumeClaim& claim) {
  const std::string* annotated = claim.meta.annotations.Find(kStorageClassAnnotation);
  if (annotated != nullptr) return *annotated;
  return claim.storage_class_name ? std::string_view(*claim.storage_class_name) : std::string_view();
}
inline std::string_view StorageClassName(const api::PersistentVolume& volume) {
  const std::string* annotated = volume.meta.annotations.Find(kStorageClassAnnotation);
  return annotated != nullptr ? *annotated : volume.storage_class_name;
}

// Both sides agree on the binding.
inline bool IsFullyBound(const api::PersistentVolumeClaim& claim) {
  return !claim.volume_name.empty() && claim.meta.annotations.Has(kBindCompletedAnnotation);
}

// Zero if the list does not have it.
inline api::Quantity StorageAmount(const api::ResourceList& list) {
  const api::Quantity* amount = list.Find(kStorageResource);
  return amount == nullptr ? api::Quantity() : *amount;
}

// Upstream's texts for objects that are not known.
std::string ClaimNotFound(std::string_view name);
std::string VolumeNotFound(std::string_view name);
std::string StorageClassNotFound(std::string_view name);

}  // namespace berth::plugins
