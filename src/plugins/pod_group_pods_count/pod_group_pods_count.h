// SPDX-License-Identifier: Apache-2.0
// PodGroupPodsCount: prefers placements that hold more pods of the group, those that have a node already included.

#pragma once

#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "framework/group.h"
#include "framework/registry.h"

namespace berth::plugins {

class PodGroupPodsCount final : public framework::Plugin, public framework::PlacementScorePlugin {
 public:
  static constexpr std::string_view kName = "PodGroupPodsCount";
  static Result<std::unique_ptr<framework::Plugin>> Create(const framework::PluginContext&) {
    return std::make_unique<PodGroupPodsCount>();
  }

  std::string_view name() const override { return kName; }
  framework::Status ScorePlacement(const framework::GroupNode& group, const framework::Placement& placement,
                                   std::span<const framework::ProposedAssignment> assignments,
                                   const cluster::Cluster& cluster, int64_t& score) const override;
  framework::Status NormalizePlacements(std::vector<int64_t>& scores) const override;
};

}  // namespace berth::plugins
