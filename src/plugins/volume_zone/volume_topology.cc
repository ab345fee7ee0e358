// SPDX-License-Identifier: Apache-2.0
#include "plugins/volume_zone/volume_topology.h"

#include <algorithm>
#include <optional>

#include <boost/algorithm/string/trim.hpp>

namespace berth::plugins {
namespace {

std::string_view NewLabel(std::string_view label) {
  if (label == kBetaZoneLabel) return kZoneLabel;
  if (label == kBetaRegionLabel) return kRegionLabel;
  return label;
}

// Absent if a part is empty.
std::optional<std::vector<std::string>> ReadPlaces(std::string_view label) {
  std::vector<std::string> places;
  for (const std::string_view part : SplitZones(label)) {
    places.push_back(boost::trim_copy(std::string(part)));
    if (places.back().empty()) return std::nullopt;
  }
  std::ranges::sort(places);
  places.erase(std::unique(places.begin(), places.end()), places.end());
  return places;
}

}  // namespace

bool VolumeTopology::Matches(const api::Labels& node_labels) const {
  const std::string* value = node_labels.Find(key);
  if (value == nullptr) value = node_labels.Find(NewLabel(key));
  return value != nullptr && std::ranges::binary_search(places, *value);
}

void AppendTopologies(const api::PersistentVolume& volume, std::vector<VolumeTopology>& topologies) {
  for (const std::string_view key : kTopologyLabels) {
    const std::string* label = volume.meta.labels.Find(key);
    if (label == nullptr) continue;
    if (auto places = ReadPlaces(*label)) topologies.push_back({key, std::move(*places)});
  }
}

}  // namespace berth::plugins
