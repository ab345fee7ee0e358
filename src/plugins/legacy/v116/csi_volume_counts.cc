// SPDX-License-Identifier: Apache-2.0
// MaxCSIVolumeCountPred.

#include <algorithm>
#include <optional>
#include <string>

#include "plugins/helpers/csi_migration.h"
#include "plugins/helpers/volume_claims.h"
#include "plugins/legacy/in_tree_volumes.h"
#include "plugins/legacy/v116/volume_counts.h"
#include "plugins/node_volume_limits/attached_volumes.h"

namespace berth::plugins::legacy::v116 {
namespace {

using cluster::NodeSlot;

constexpr std::string_view kLimitPrefix = "attachable-volumes-csi-";

// The volume that will be provisioned for a claim, under a name that no volume has.
std::optional<CsiVolumeId> ProvisionedVolume(const api::PersistentVolumeClaim& claim, const cluster::Objects& objects) {
  const std::string_view class_name = StorageClassName(claim);
  const api::StorageClass* storage_class = class_name.empty() ? nullptr : objects.storage_classes.Find("", class_name);
  if (storage_class == nullptr || storage_class->provisioner.empty()) return std::nullopt;
  if (FindMigration(storage_class->provisioner) != nullptr) return std::nullopt;
  return CsiVolumeId{storage_class->provisioner, "unprovisioned-" + claim.meta.ns + "/" + claim.meta.name};
}

std::optional<CsiVolumeId> VolumeOfClaim(const api::PersistentVolumeClaim& claim, const cluster::Objects& objects) {
  const api::PersistentVolume* volume =
      claim.volume_name.empty() ? nullptr : objects.persistent_volumes.Find("", claim.volume_name);
  if (volume == nullptr) return ProvisionedVolume(claim, objects);
  if (volume->csi_driver.empty() || volume->csi_handle.empty()) return std::nullopt;
  return CsiVolumeId{volume->csi_driver, volume->csi_handle};
}

void AppendVolumes(const cluster::PodInfo& pod, const cluster::Objects& objects, std::vector<CsiVolumeId>& volumes) {
  for (const api::Volume& volume : pod.spec().volumes) {
    if (volume.source != api::Volume::Source::kPersistentVolumeClaim) continue;
    const api::PersistentVolumeClaim* claim = objects.persistent_volume_claims.Find(pod.ns(), volume.id);
    if (claim == nullptr) continue;
    if (auto id = VolumeOfClaim(*claim, objects)) volumes.push_back(*std::move(id));
  }
}

// How many volumes of the driver the node can attach, if it says so.
std::optional<int64_t> DriverLimit(const api::Node& node, const api::CsiNode* drivers, const std::string& driver) {
  std::optional<int64_t> limit;
  if (const api::Quantity* amount = node.allocatable.Find(std::string(kLimitPrefix) + driver)) limit = amount->Value();
  if (drivers == nullptr) return limit;
  for (const api::CsiNode::Driver& candidate : drivers->drivers) {
    if (candidate.name == driver && candidate.allocatable_count) limit = *candidate.allocatable_count;
  }
  return limit;
}

// Whether `volumes` are too many for the node, looking at the drivers of those that would be `added`.
bool ExceedsLimit(const api::Node& node, const api::CsiNode* drivers, const std::vector<CsiVolumeId>& added,
                  const std::vector<CsiVolumeId>& volumes) {
  return std::ranges::any_of(added, [&](const CsiVolumeId& volume) {
    const std::optional<int64_t> limit = DriverLimit(node, drivers, volume.driver);
    return limit && std::ranges::count(volumes, volume.driver, &CsiVolumeId::driver) > *limit;
  });
}

}  // namespace

void MaxCsiVolumeCount::Filter(framework::Cycle& cycle, framework::Candidates& candidates) const {
  const cluster::Objects& objects = cycle.cluster().objects;
  const cluster::NodeTable& nodes = cycle.nodes();
  std::vector<CsiVolumeId> wanted;
  AppendVolumes(cycle.pod(), objects, wanted);
  if (wanted.empty()) return;
  MakeUnique(wanted);
  candidates.RejectIf(framework::StatusCode::kUnschedulable, kTooManyVolumes, [&](NodeSlot slot) {
    std::vector<CsiVolumeId> volumes;
    for (const cluster::PodPtr& pod : nodes.pods[slot.index].pods) AppendVolumes(*pod, objects, volumes);
    MakeUnique(volumes);
    std::vector<CsiVolumeId> added;
    std::ranges::set_difference(wanted, volumes, std::back_inserter(added));
    volumes.insert(volumes.end(), added.begin(), added.end());
    const api::Node& node = *nodes.node[slot.index];
    return ExceedsLimit(node, objects.csi_nodes.Find("", nodes.name[slot.index]), added, volumes);
  });
}

}  // namespace berth::plugins::legacy::v116
