// SPDX-License-Identifier: Apache-2.0
// GangScheduling: pods that are scheduled together or not at all, which are not supported yet.
//
// Pods of a group are kept out of the queue; to other pods the plugin does nothing, as upstream's.

#pragma once

#include <memory>

#include "framework/registry.h"

namespace berth::plugins {

class GangScheduling final : public framework::Plugin,
                             public framework::PreEnqueuePlugin,
                             public framework::PermitPlugin {
 public:
  static constexpr std::string_view kName = "GangScheduling";
  static Result<std::unique_ptr<framework::Plugin>> Create(const framework::PluginContext&) {
    return std::make_unique<GangScheduling>();
  }

  std::string_view name() const override { return kName; }
  framework::Status PreEnqueue(const cluster::PodInfo& pod, const cluster::Cluster&) const override {
    if (pod.spec().scheduling_group.empty()) return framework::Status::Success();
    return framework::Status::Unresolvable("pod groups are not supported yet");
  }
  framework::PermitResult Permit(framework::Cycle&, cluster::NodeSlot) const override {
    return {.status = framework::Status::Success()};
  }
};

}  // namespace berth::plugins
