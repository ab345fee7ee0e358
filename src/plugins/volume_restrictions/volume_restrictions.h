// SPDX-License-Identifier: Apache-2.0
// VolumeRestrictions: keeps pods apart that cannot use the same volume at the same time.
//
// Disks that a pod mounts directly (GCE PD, EBS, iSCSI, RBD) may not be in use by another pod on the node, unless both
// only read where the kind allows that. A claim with access mode ReadWriteOncePod may not be in use anywhere.

#pragma once

#include <string_view>

#include "framework/events.h"
#include "framework/plugin.h"
#include "framework/registry.h"

namespace berth::plugins {

class VolumeRestrictions final : public framework::Plugin,
                                 public framework::PreFilterPlugin,
                                 public framework::FilterPlugin,
                                 public framework::EnqueueExtensions {
 public:
  static constexpr std::string_view kName = "VolumeRestrictions";
  static constexpr std::string_view kDiskConflict = "node(s) had no available disk";
  static constexpr std::string_view kClaimInUse =
      "node(s) unavailable due to PersistentVolumeClaim with ReadWriteOncePod access mode already in-use by another "
      "pod";

  std::string_view name() const override { return kName; }
  bool skips_resizes() const override { return true; }
  framework::PreFilterResult PreFilter(framework::Cycle& cycle) const override;
  bool has_extensions() const override { return true; }
  framework::Status AddPod(framework::Cycle& cycle, const cluster::PodInfo& pod, cluster::NodeSlot node) const override;
  framework::Status RemovePod(framework::Cycle& cycle, const cluster::PodInfo& pod,
                              cluster::NodeSlot node) const override;
  void Filter(framework::Cycle& cycle, framework::Candidates& candidates) const override;
  std::string_view without_pre_filter() const override {
    return "cannot read \"PreFilterVolumeRestrictions\" from cycleState";
  }
  std::vector<framework::EventRegistration> EventsToRegister() const override;
  Result<framework::QueueingHint> Hint(const cluster::PodInfo& pod, const framework::Change& change,
                                       const cluster::Cluster& cluster) const override;
};

// Whether two volumes are the same disk and may not be mounted by two pods on one node.
bool DisksConflict(const api::Volume& a, const api::Volume& b);

}  // namespace berth::plugins
