// SPDX-License-Identifier: Apache-2.0
// VolumeZone: keeps a pod in the zones and regions that its bound volumes are labelled with.
//
// Only claims named by the pod count. A node without any zone or region label passes.
//
// Cost: one comparison per distinct label set of the nodes.

#pragma once

#include <string_view>

#include "framework/events.h"
#include "framework/plugin.h"
#include "framework/registry.h"

namespace berth::plugins {

class VolumeZone final : public framework::Plugin,
                         public framework::PreFilterPlugin,
                         public framework::FilterPlugin,
                         public framework::EnqueueExtensions {
 public:
  static constexpr std::string_view kName = "VolumeZone";
  static constexpr std::string_view kConflict = "node(s) had no available volume zone";

  std::string_view name() const override { return kName; }
  bool skips_resizes() const override { return true; }
  framework::PreFilterResult PreFilter(framework::Cycle& cycle) const override;
  void Filter(framework::Cycle& cycle, framework::Candidates& candidates) const override;
  std::vector<framework::EventRegistration> EventsToRegister() const override;
  Result<framework::QueueingHint> Hint(const cluster::PodInfo& pod, const framework::Change& change,
                                       const cluster::Cluster& cluster) const override;
};

}  // namespace berth::plugins
