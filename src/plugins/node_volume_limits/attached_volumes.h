// SPDX-License-Identifier: Apache-2.0
// Which CSI volumes a pod, or the volume attachments of a node, hold on that node.

#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cluster/cluster.h"
#include "framework/status.h"

namespace berth::plugins {

struct CsiVolumeId {
  std::string driver;
  std::string handle;
  auto operator<=>(const CsiVolumeId&) const = default;
};

// The only thing about a node that matters for which volumes of a pod count: whether it has a CSINode object. Without
// one, volumes in built-in forms are not taken for CSI volumes.
enum class NodeDrivers : uint8_t { kUnknown, kKnown };

// A pod that is to be placed has to have its claims; for a pod on a node, claims that do not exist are passed over.
enum class PodPlace : uint8_t { kPending, kOnNode };

// Appends the CSI volumes of `pod`; a volume may occur twice. Fails with upstream's status.
framework::Status AppendCsiVolumes(const cluster::PodInfo& pod, PodPlace place, NodeDrivers drivers,
                                   const cluster::Objects& objects, std::vector<CsiVolumeId>& volumes);

// Whether the volume may count as one of a CSI driver.
bool MayBeCsiVolume(const api::Volume& volume);

// How many CSI volumes a pod on a node has at most, whatever its claims and volumes are; nothing if telling which they
// are may fail.
std::optional<int32_t> MostCsiVolumes(const cluster::PodInfo& pod);

// The CSI volumes of known PersistentVolumes that are attached to a node; sorted, unique.
std::vector<CsiVolumeId> AttachedCsiVolumes(std::string_view node, const cluster::Cluster& cluster);

// Sorts and removes duplicates.
void MakeUnique(std::vector<CsiVolumeId>& volumes);

}  // namespace berth::plugins
