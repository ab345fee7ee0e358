// SPDX-License-Identifier: Apache-2.0
// Volumes of the cloud providers in their built-in forms: which of them pods use, and how many a node can attach.

#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "api/objects/node.h"
#include "api/objects/pod.h"
#include "cluster/pod_info.h"
#include "cluster/tables/object_store.h"
#include "framework/status.h"

namespace berth::plugins::legacy {

struct InTreeVolumeKind {
  std::string_view plugin;  // The plugin that counts them.
  api::Volume::Source source;
  std::string_view provisioner;
  std::string_view limit_resource;  // Of a node's allocatable amounts.
  int32_t limit;                    // Of a node that does not have it.
  bool may_be_migrated;             // v1.22 lets nodes use the CSI driver instead.
};

inline constexpr InTreeVolumeKind kEbsVolumes = {
    "EBSLimits", api::Volume::Source::kAwsElasticBlockStore, "kubernetes.io/aws-ebs", "attachable-volumes-aws-ebs", 39,
    false};
inline constexpr InTreeVolumeKind kGcePdVolumes = {
    "GCEPDLimits", api::Volume::Source::kGcePersistentDisk, "kubernetes.io/gce-pd", "attachable-volumes-gce-pd", 16,
    false};
inline constexpr InTreeVolumeKind kAzureDiskVolumes = {"AzureDiskLimits",
                                                       api::Volume::Source::kAzureDisk,
                                                       "kubernetes.io/azure-disk",
                                                       "attachable-volumes-azure-disk",
                                                       16,
                                                       false};
inline constexpr InTreeVolumeKind kCinderVolumes = {
    "CinderLimits", api::Volume::Source::kCinder, "kubernetes.io/cinder", "attachable-volumes-cinder", 256, true};

inline constexpr std::string_view kTooManyVolumes = "node(s) exceed max volume count";

// A volume of the kind: its own name, or that of a claim whose volume is not known yet.
struct InTreeVolumeId {
  bool is_claim = false;
  std::string name;
  auto operator<=>(const InTreeVolumeId&) const = default;
};

// Adds the volumes of the pod that are of this kind, or will be as far as can be told. Fails with upstream's text.
framework::Status AddVolumes(const InTreeVolumeKind& kind, const cluster::PodInfo& pod, const cluster::Objects& objects,
                             std::set<InTreeVolumeId>& volumes);

// How many volumes of the kind the node can attach: what it says itself, else `max_pd_volumes`, else what is known of
// the cloud and the node's instance type.
int64_t VolumeLimit(const InTreeVolumeKind& kind, const api::Node& node, std::optional<int32_t> max_pd_volumes);

}  // namespace berth::plugins::legacy
