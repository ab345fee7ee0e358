// SPDX-License-Identifier: Apache-2.0
#include "plugins/volume_binding/bound_volumes.h"

#include <utility>

namespace berth::plugins {
namespace {

// The migration that nodes may have made for this volume.
const MigratedPlugin* ActiveMigration(const api::PersistentVolume& volume) {
  const MigratedPlugin* migration = FindMigration(volume.source.source);
  return migration != nullptr && migration->is_on ? migration : nullptr;
}

Result<VolumeAffinity> TranslatedAffinity(const api::PersistentVolume& volume) {
  const Result<CsiVolume> translated = TranslateToCsi(volume);
  if (!translated) return Invalid("could not translate pv: " + translated.error().message);
  return VolumeAffinity(translated->node_affinity);
}

}  // namespace

BoundVolumes::Entry::Entry(std::shared_ptr<const api::PersistentVolume> entry_volume, const cluster::NodeTable& nodes)
    : volume(std::move(entry_volume)),
      affinity(volume == nullptr ? std::nullopt : volume->node_affinity),
      matches(nodes, affinity.tells_nodes_apart()),
      migration(volume == nullptr ? nullptr : ActiveMigration(*volume)) {}

void BoundVolumes::Add(std::shared_ptr<const api::PersistentVolume> volume, const cluster::NodeTable& nodes) {
  entries_.emplace_back(std::move(volume), nodes);
}

Result<BoundVolumes::Answer> BoundVolumes::Check(const cluster::Cluster& cluster, cluster::NodeSlot node) {
  for (Entry& entry : entries_) {
    if (entry.volume == nullptr) return Answer::kVolumeMissing;
    if (!BERTH_TRY(Matches(entry, cluster, node))) return Answer::kNodeMismatch;
  }
  return Answer::kUsable;
}

Result<bool> BoundVolumes::Matches(Entry& entry, const cluster::Cluster& cluster, cluster::NodeSlot node) {
  const cluster::NodeTable& nodes = cluster.nodes();
  if (entry.migration != nullptr) {
    const api::CsiNode* drivers = cluster.objects.csi_nodes.Find("", nodes.name[node.index]);
    if (IsMigratedOnNode(*entry.migration, drivers)) {
      return BERTH_TRY(TranslatedAffinity(*entry.volume)).Matches(nodes.node[node.index]->meta.labels);
    }
  }
  if (entry.affinity.matches_all()) return true;
  return entry.matches.Get(node,
                           [&](const api::Labels& labels, std::string_view) { return entry.affinity.Matches(labels); });
}

Result<std::string> VolumeMismatch(const api::PersistentVolume& volume, const api::Node& node,
                                   const cluster::Objects& objects) {
  const MigratedPlugin* migration = ActiveMigration(volume);
  if (migration != nullptr && IsMigratedOnNode(*migration, objects.csi_nodes.Find("", node.meta.name))) {
    return BERTH_TRY(TranslatedAffinity(volume)).Mismatch(node.meta.labels);
  }
  return VolumeAffinity(volume.node_affinity).Mismatch(node.meta.labels);
}

}  // namespace berth::plugins
