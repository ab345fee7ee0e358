// SPDX-License-Identifier: Apache-2.0
// BoundVolumes: the volumes a pod's bound claims are bound to, and whether a node can use all of them.
//
// Cost: one evaluation of a volume's node affinity per distinct label set, or per node if it looks at the hostname
// label.

#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "api/objects/storage.h"
#include "base/result.h"
#include "cluster/cluster.h"
#include "plugins/helpers/csi_migration.h"
#include "plugins/helpers/node_memo.h"
#include "plugins/volume_binding/volume_affinity.h"

namespace berth::plugins {

class BoundVolumes {
 public:
  enum class Answer : uint8_t { kUsable, kNodeMismatch, kVolumeMissing };

  // The next claim is bound to `volume`; nullptr if that volume does not exist.
  void Add(std::shared_ptr<const api::PersistentVolume> volume, const cluster::NodeTable& nodes);

  // The first claim that speaks against the node decides. Fails with upstream's text where a volume that has moved to a
  // CSI driver on this node cannot be translated.
  Result<Answer> Check(const cluster::Cluster& cluster, cluster::NodeSlot node);

 private:
  struct Entry {
    Entry(std::shared_ptr<const api::PersistentVolume> entry_volume, const cluster::NodeTable& nodes);

    std::shared_ptr<const api::PersistentVolume> volume;  // nullptr: missing.
    VolumeAffinity affinity;
    NodeMemo<bool> matches;
    const MigratedPlugin* migration;  // nullptr: the volume is taken as it is on every node.
  };
  static Result<bool> Matches(Entry& entry, const cluster::Cluster& cluster, cluster::NodeSlot node);

  std::vector<Entry> entries_;
};

// Why a volume cannot be used on a node, taking into account that it may have moved to a CSI driver there: upstream's
// text, empty if it can. Fails if the volume cannot be translated.
Result<std::string> VolumeMismatch(const api::PersistentVolume& volume, const api::Node& node,
                                   const cluster::Objects& objects);

}  // namespace berth::plugins
