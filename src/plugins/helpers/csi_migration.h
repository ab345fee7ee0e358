// SPDX-License-Identifier: Apache-2.0
// CSI migration: which CSI driver has taken over a volume that is written in an old, built-in form, and what the driver
// calls that volume.
//
// Seven built-in kinds have a CSI driver as successor. For five of them migration is on for good and their volumes
// count as volumes of the driver; Azure File and vSphere volumes are recognised and never translated.

#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "api/objects/storage.h"
#include "base/result.h"

namespace berth::plugins {

// On a CSINode: the built-in names of the kinds for which the node uses the CSI driver, joined by commas.
inline constexpr std::string_view kMigratedPluginsAnnotation = "storage.alpha.kubernetes.io/migrated-plugins";

struct MigratedPlugin {
  api::Volume::Source source;
  std::string_view in_tree_name;  // Such as kubernetes.io/aws-ebs; also a provisioner name.
  std::string_view csi_driver;
  std::string_view zone_key;  // The node label that stands for the zone; empty if topology is left alone.
  bool is_on;                 // Migration takes place.
};

// The migration of a kind of volume, or nullptr if that kind has none.
const MigratedPlugin* FindMigration(api::Volume::Source source);
const MigratedPlugin* FindMigration(std::string_view in_tree_name);

// The driver's name for a volume that a pod mounts directly. Fails with upstream's text. REQUIRES: migration is on.
Result<std::string> InlineVolumeHandle(const api::Volume& volume);

// A volume as its CSI driver knows it.
struct CsiVolume {
  std::string handle;
  std::optional<api::NodeSelector> node_affinity;
};
// Fails with upstream's text. REQUIRES: migration of the volume's source is on.
Result<CsiVolume> TranslateToCsi(const api::PersistentVolume& volume);

// Whether the node behind `node` (may be null) says that it uses the CSI driver for volumes of this kind.
bool IsMigratedOnNode(const MigratedPlugin& plugin, const api::CsiNode* node);

}  // namespace berth::plugins
