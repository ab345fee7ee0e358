// SPDX-License-Identifier: Apache-2.0
#include "plugins/node_volume_limits/attached_volumes.h"

#include <algorithm>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "plugins/helpers/csi_migration.h"
#include "plugins/helpers/volume_claims.h"

namespace berth::plugins {
namespace {

using api::Volume;
using framework::Status;

// The volume that will be provisioned for a claim. It has no name yet; all that matters is that it is unlike any other.
std::optional<CsiVolumeId> FutureVolume(const api::PersistentVolumeClaim& claim, NodeDrivers drivers,
                                        const cluster::Objects& objects) {
  const std::string_view class_name = StorageClassName(claim);
  if (class_name.empty()) return std::nullopt;
  const api::StorageClass* storage_class = objects.storage_classes.Find("", class_name);
  if (storage_class == nullptr || storage_class->provisioner.empty()) return std::nullopt;
  std::string handle = fmt::format("unprovisioned-{}/{}", claim.meta.ns, claim.meta.name);
  const MigratedPlugin* migration = FindMigration(storage_class->provisioner);
  if (migration == nullptr) return CsiVolumeId{storage_class->provisioner, std::move(handle)};
  if (!migration->is_on || drivers == NodeDrivers::kUnknown) return std::nullopt;
  return CsiVolumeId{std::string(migration->csi_driver), std::move(handle)};
}

std::optional<CsiVolumeId> BoundVolume(const api::PersistentVolume& volume, NodeDrivers drivers) {
  if (volume.source.source == Volume::Source::kCsi) {
    if (volume.csi_driver.empty() || volume.csi_handle.empty()) return std::nullopt;
    return CsiVolumeId{volume.csi_driver, volume.csi_handle};
  }
  const MigratedPlugin* migration = FindMigration(volume.source.source);
  if (migration == nullptr || !migration->is_on || drivers == NodeDrivers::kUnknown) return std::nullopt;
  Result<CsiVolume> translated = TranslateToCsi(volume);
  if (!translated || translated->handle.empty()) return std::nullopt;
  return CsiVolumeId{std::string(migration->csi_driver), std::move(translated->handle)};
}

std::optional<CsiVolumeId> ClaimedVolume(const api::PersistentVolumeClaim& claim, NodeDrivers drivers,
                                         const cluster::Objects& objects) {
  const api::PersistentVolume* volume =
      claim.volume_name.empty() ? nullptr : objects.persistent_volumes.Find("", claim.volume_name);
  return volume == nullptr ? FutureVolume(claim, drivers, objects) : BoundVolume(*volume, drivers);
}

Status AppendInline(const Volume& volume, NodeDrivers drivers, std::vector<CsiVolumeId>& volumes) {
  const MigratedPlugin* migration = FindMigration(volume.source);
  if (migration == nullptr || !migration->is_on || drivers == NodeDrivers::kUnknown) return Status::Success();
  Result<std::string> handle = InlineVolumeHandle(volume);
  if (!handle) {
    return Status::Error(
        fmt::format("converting volume({}) from inline to csi: {}", volume.name, handle.error().message));
  }
  volumes.push_back({std::string(migration->csi_driver), std::move(*handle)});
  return Status::Success();
}

Status AppendClaimed(const cluster::PodInfo& pod, PodPlace place, const Volume& volume, const std::string& claim_name,
                     NodeDrivers drivers, const cluster::Objects& objects, std::vector<CsiVolumeId>& volumes) {
  if (claim_name.empty()) return Status::Error("PersistentVolumeClaim had no name");
  const api::PersistentVolumeClaim* claim = objects.persistent_volume_claims.Find(pod.ns(), claim_name);
  if (claim == nullptr) {
    if (place == PodPlace::kOnNode) return Status::Success();
    return Status::Unresolvable(
        fmt::format("looking up PVC {}/{}: {}", pod.ns(), claim_name, ClaimNotFound(claim_name)));
  }
  if (volume.source == Volume::Source::kEphemeral) {
    std::string error = EphemeralClaimError(pod, *claim);
    if (!error.empty()) return Status::Error(std::move(error));
  }
  if (auto id = ClaimedVolume(*claim, drivers, objects)) volumes.push_back(std::move(*id));
  return Status::Success();
}

}  // namespace

Status AppendCsiVolumes(const cluster::PodInfo& pod, PodPlace place, NodeDrivers drivers,
                        const cluster::Objects& objects, std::vector<CsiVolumeId>& volumes) {
  for (const Volume& volume : pod.spec().volumes) {
    const std::optional<std::string> claim_name = ClaimName(pod, volume);
    Status status = claim_name ? AppendClaimed(pod, place, volume, *claim_name, drivers, objects, volumes)
                               : AppendInline(volume, drivers, volumes);
    if (!status.ok()) return status;
  }
  return Status::Success();
}

bool MayBeCsiVolume(const Volume& volume) {
  return volume.source == Volume::Source::kPersistentVolumeClaim || volume.source == Volume::Source::kEphemeral ||
         FindMigration(volume.source) != nullptr;
}

std::optional<int32_t> MostCsiVolumes(const cluster::PodInfo& pod) {
  int32_t count = 0;
  for (const Volume& volume : pod.spec().volumes) {
    if (!MayBeCsiVolume(volume)) continue;
    if (volume.source != Volume::Source::kPersistentVolumeClaim || volume.id.empty()) return std::nullopt;
    ++count;
  }
  return count;
}

std::vector<CsiVolumeId> AttachedCsiVolumes(std::string_view node, const cluster::Cluster& cluster) {
  std::vector<CsiVolumeId> volumes;
  for (const auto& attachment : cluster.attachments.On(node)) {
    if (attachment->attacher.empty() || !attachment->persistent_volume_name) continue;
    const api::PersistentVolume* volume =
        cluster.objects.persistent_volumes.Find("", *attachment->persistent_volume_name);
    if (volume == nullptr || volume->source.source != Volume::Source::kCsi) continue;
    volumes.push_back({attachment->attacher, volume->csi_handle});
  }
  MakeUnique(volumes);
  return volumes;
}

void MakeUnique(std::vector<CsiVolumeId>& volumes) {
  std::ranges::sort(volumes);
  const auto duplicates = std::ranges::unique(volumes);
  volumes.erase(duplicates.begin(), duplicates.end());
}

}  // namespace berth::plugins
