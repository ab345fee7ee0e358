// SPDX-License-Identifier: Apache-2.0
#include "plugins/legacy/in_tree_volumes.h"

#include <fmt/format.h>

namespace berth::plugins::legacy {
namespace {

using framework::Status;

constexpr std::string_view kInstanceTypeLabels[] = {"beta.kubernetes.io/instance-type",
                                                    "node.kubernetes.io/instance-type"};
constexpr int32_t kNitroVolumesMax = 25;

// Upstream's pattern is ^[cmr]5.*|t3|z1d, whose last two may stand anywhere.
bool IsNitro(std::string_view type) {
  const bool is_five = type.size() >= 2 && type[1] == '5' && std::string_view("cmr").contains(type[0]);
  return is_five || type.contains("t3") || type.contains("z1d");
}

std::string_view InstanceType(const api::Labels& labels) {
  for (const std::string_view label : kInstanceTypeLabels) {
    if (const std::string* type = labels.Find(label)) return *type;
  }
  return {};
}

// Whether the volume for a claim would be of this kind.
bool WillBe(const InTreeVolumeKind& kind, const api::PersistentVolumeClaim& claim, const cluster::Objects& objects) {
  if (!claim.storage_class_name) return false;
  const api::StorageClass* storage_class = objects.storage_classes.Find("", *claim.storage_class_name);
  return storage_class != nullptr && storage_class->provisioner == kind.provisioner;
}

void AddClaimed(const InTreeVolumeKind& kind, const std::string& ns, const std::string& name,
                const cluster::Objects& objects, std::set<InTreeVolumeId>& volumes) {
  const api::PersistentVolumeClaim* claim = objects.persistent_volume_claims.Find(ns, name);
  if (claim == nullptr) return;
  const api::PersistentVolume* volume =
      claim->volume_name.empty() ? nullptr : objects.persistent_volumes.Find("", claim->volume_name);
  if (volume != nullptr) {
    if (volume->source.source == kind.source) volumes.insert({.is_claim = false, .name = volume->source.id});
  } else if (WillBe(kind, *claim, objects)) {
    volumes.insert({.is_claim = true, .name = fmt::format("{}/{}", ns, name)});
  }
}

}  // namespace

Status AddVolumes(const InTreeVolumeKind& kind, const cluster::PodInfo& pod, const cluster::Objects& objects,
                  std::set<InTreeVolumeId>& volumes) {
  for (const api::Volume& volume : pod.spec().volumes) {
    if (volume.source == kind.source) {
      volumes.insert({.is_claim = false, .name = volume.id});
    } else if (volume.source == api::Volume::Source::kPersistentVolumeClaim) {
      if (volume.id.empty()) return Status::Error("PersistentVolumeClaim had no name");
      AddClaimed(kind, pod.ns(), volume.id, objects, volumes);
    }
  }
  return Status::Success();
}

int64_t VolumeLimit(const InTreeVolumeKind& kind, const api::Node& node, std::optional<int32_t> max_pd_volumes) {
  if (const api::Quantity* own = node.allocatable.Find(kind.limit_resource)) return own->Value();
  if (max_pd_volumes) return *max_pd_volumes;
  const bool is_nitro = kind.source == kEbsVolumes.source && IsNitro(InstanceType(node.meta.labels));
  return is_nitro ? kNitroVolumesMax : kind.limit;
}

}  // namespace berth::plugins::legacy
