// SPDX-License-Identifier: Apache-2.0
// NodeVolumeLimits: keeps a node from getting more volumes of a CSI driver than the driver says it can attach.
//
// Volumes in built-in forms that have moved to a CSI driver count as volumes of that driver. A volume used by several
// pods of a node counts once.

#pragma once

#include <memory>
#include <string_view>

#include "framework/events.h"
#include "framework/plugin.h"
#include "framework/registry.h"

namespace berth::plugins {

class NodeVolumeLimits final : public framework::Plugin,
                               public framework::PreFilterPlugin,
                               public framework::FilterPlugin,
                               public framework::EnqueueExtensions {
 public:
  static constexpr std::string_view kName = "NodeVolumeLimits";
  static constexpr std::string_view kLimitExceeded = "node(s) exceed max volume count";

  // With `check_installed`, a driver that asks for it must be installed on the node (gate VolumeLimitScaling).
  explicit NodeVolumeLimits(bool check_installed) : check_installed_(check_installed) {}
  static Result<std::unique_ptr<framework::Plugin>> Create(const framework::PluginContext& context);

  std::string_view name() const override { return kName; }
  bool skips_resizes() const override { return true; }
  framework::PreFilterResult PreFilter(framework::Cycle& cycle) const override;
  void Filter(framework::Cycle& cycle, framework::Candidates& candidates) const override;

  std::vector<framework::EventRegistration> EventsToRegister() const override;
  Result<framework::QueueingHint> Hint(const cluster::PodInfo& pod, const framework::Change& change,
                                       const cluster::Cluster& cluster) const override;

 private:
  bool check_installed_;
};

}  // namespace berth::plugins
