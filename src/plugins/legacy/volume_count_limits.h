// SPDX-License-Identifier: Apache-2.0
// EBSLimits, GCEPDLimits, AzureDiskLimits, CinderLimits: keep pods off nodes that could not attach all their volumes of
// one cloud's kind.
//
// A volume counts once per node, however many pods use it. Claims without a volume count if their storage class makes
// volumes of the kind.
//
// Cost: nothing for pods without such volumes; else a walk over the volumes of the pods on each node.

#pragma once

#include <memory>
#include <optional>

#include "framework/registry.h"
#include "plugins/legacy/in_tree_volumes.h"

namespace berth::plugins::legacy {

class VolumeCountLimits final : public framework::Plugin, public framework::FilterPlugin {
 public:
  struct Args {
    // How many volumes a node that does not say so can attach; absent: what the cloud is known for. KUBE_MAX_PD_VOLS.
    std::optional<int32_t> max_pd_volumes;

    static constexpr auto Fields() { return std::array{framework::Member<&Args::max_pd_volumes>("maxPDVolumes")}; }
    bool operator==(const Args&) const = default;
  };

  static Result<std::unique_ptr<framework::Plugin>> Create(const framework::PluginContext& context,
                                                           const InTreeVolumeKind& kind);
  VolumeCountLimits(const InTreeVolumeKind& kind, std::optional<int32_t> max_pd_volumes)
      : kind_(kind), max_pd_volumes_(max_pd_volumes) {}

  std::string_view name() const override { return kind_.plugin; }
  void Filter(framework::Cycle& cycle, framework::Candidates& candidates) const override;

 private:
  // Whether the node can attach `wanted` beside what its pods use.
  Result<bool> Fits(const framework::Cycle& cycle, cluster::NodeSlot node,
                    const std::set<InTreeVolumeId>& wanted) const;

  InTreeVolumeKind kind_;
  std::optional<int32_t> max_pd_volumes_;
};

}  // namespace berth::plugins::legacy
