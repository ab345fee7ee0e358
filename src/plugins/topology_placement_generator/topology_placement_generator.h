// SPDX-License-Identifier: Apache-2.0
// TopologyPlacementGenerator: one placement for each domain of the label that a group names.
//
// Pods of the group that have a node already fix the domain. A group that names no label gets the nodes of its parent.

#pragma once

#include <memory>
#include <string_view>
#include <vector>

#include "framework/group.h"
#include "framework/registry.h"

namespace berth::plugins {

class TopologyPlacementGenerator final : public framework::Plugin, public framework::PlacementGeneratePlugin {
 public:
  static constexpr std::string_view kName = "TopologyPlacementGenerator";
  static Result<std::unique_ptr<framework::Plugin>> Create(const framework::PluginContext&) {
    return std::make_unique<TopologyPlacementGenerator>();
  }

  std::string_view name() const override { return kName; }
  // In order of the domains' names.
  framework::Status GeneratePlacements(const framework::GroupNode& group, const framework::Placement& parent,
                                       const cluster::Cluster& cluster,
                                       std::vector<framework::Placement>& placements) const override;
};

}  // namespace berth::plugins
