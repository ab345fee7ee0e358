// SPDX-License-Identifier: Apache-2.0
// NoVolumeZoneConflict.

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "plugins/helpers/volume_claims.h"
#include "plugins/legacy/v116/volume_places.h"
#include "plugins/volume_zone/volume_topology.h"

namespace berth::plugins::legacy::v116 {
namespace {

using cluster::NodeSlot;

// The only labels that v1.16 knows.
constexpr std::array kZoneLabels = {kBetaZoneLabel, kBetaRegionLabel};

bool IsZoneLabel(std::string_view key) { return std::ranges::find(kZoneLabels, key) != kZoneLabels.end(); }

Result<void> CheckUnboundClaim(const api::PersistentVolumeClaim& claim, const cluster::Objects& objects) {
  const std::string_view class_name = StorageClassName(claim);
  const api::StorageClass* storage_class = class_name.empty() ? nullptr : objects.storage_classes.Find("", class_name);
  if (storage_class != nullptr) {
    if (!storage_class->volume_binding_mode) {
      return Invalid(fmt::format("VolumeBindingMode not set for StorageClass \"{}\"", class_name));
    }
    if (*storage_class->volume_binding_mode == kWaitForFirstConsumer) return {};
  }
  return Fail(Code::kNotFound, fmt::format("PersistentVolumeClaim was not found: \"{}\"", claim.meta.name));
}

// Where the pod's volumes are, as far as they are known; or why that cannot be told. v1.16 goes through the claims for
// each node and may find a conflict before it comes to a claim that is not in order, hence the error beside them.
struct ZonesOfVolumes {
  std::vector<VolumeTopology> topologies;
  std::string error;
};

Result<void> ReadClaim(const cluster::PodInfo& pod, const std::string& name, const cluster::Objects& objects,
                       std::vector<VolumeTopology>& topologies) {
  if (name.empty()) return Invalid("PersistentVolumeClaim had no name");
  const api::PersistentVolumeClaim* claim = objects.persistent_volume_claims.Find(pod.ns(), name);
  if (claim == nullptr) return Fail(Code::kNotFound, ClaimNotFound(name));
  if (claim->volume_name.empty()) return CheckUnboundClaim(*claim, objects);
  const api::PersistentVolume* volume = objects.persistent_volumes.Find("", claim->volume_name);
  if (volume == nullptr) return Fail(Code::kNotFound, VolumeNotFound(claim->volume_name));
  AppendTopologies(*volume, topologies);
  return {};
}

ZonesOfVolumes ReadZones(const cluster::PodInfo& pod, const cluster::Objects& objects) {
  ZonesOfVolumes zones;
  for (const api::Volume& volume : pod.spec().volumes) {
    if (volume.source != api::Volume::Source::kPersistentVolumeClaim) continue;
    const Result<void> read = ReadClaim(pod, volume.id, objects, zones.topologies);
    if (read) continue;
    zones.error = read.error().message;
    break;
  }
  std::erase_if(zones.topologies, [](const VolumeTopology& topology) { return !IsZoneLabel(topology.key); });
  return zones;
}

}  // namespace

void NoVolumeZoneConflict::Filter(framework::Cycle& cycle, framework::Candidates& candidates) const {
  const ZonesOfVolumes zones = ReadZones(cycle.pod(), cycle.cluster().objects);
  if (zones.topologies.empty() && zones.error.empty()) return;
  ErrorCounts errors;
  candidates.RejectIf(framework::StatusCode::kUnschedulableAndUnresolvable, kReason, [&](NodeSlot slot) {
    const api::Labels& labels = cycle.nodes().node[slot.index]->meta.labels;
    const auto on_node = [&](std::string_view key) { return labels.Has(key); };
    if (std::ranges::none_of(kZoneLabels, on_node)) return false;
    const bool conflicts = std::ranges::any_of(zones.topologies, [&](const VolumeTopology& topology) {
      return !std::ranges::binary_search(topology.places, labels.Get(topology.key));
    });
    if (!conflicts && !zones.error.empty()) errors.Add(zones.error);
    return conflicts;
  });
  SetErrors(*this, errors, candidates);
}

}  // namespace berth::plugins::legacy::v116
