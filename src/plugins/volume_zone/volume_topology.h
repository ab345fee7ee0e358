// SPDX-License-Identifier: Apache-2.0
// VolumeTopology: a zone or region label of a volume, read as the set of places the volume may be used in.

#pragma once

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "api/objects/storage.h"
#include "plugins/helpers/zone_labels.h"

namespace berth::plugins {

inline constexpr std::array kTopologyLabels = {kBetaZoneLabel, kBetaRegionLabel, kZoneLabel, kRegionLabel};

struct VolumeTopology {
  std::string_view key;             // One of kTopologyLabels.
  std::vector<std::string> places;  // Sorted, unique.

  bool Matches(const api::Labels& node_labels) const;
  bool operator==(const VolumeTopology&) const = default;
};

// Appends what the labels of the volume say; a label with an empty part is ignored.
void AppendTopologies(const api::PersistentVolume& volume, std::vector<VolumeTopology>& topologies);

}  // namespace berth::plugins
