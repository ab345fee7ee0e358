// SPDX-License-Identifier: Apache-2.0
// DeferredPodScheduling: a pod whose resize was deferred for want of room is tried on its own node only, and never
// bound.
//
// If it does not fit there, preemption makes room, unless the node objects (spec.podPreemptionPolicy). If it fits,
// there is nothing to do but wait for the kubelet, which resizes the pod.

#pragma once

#include "framework/events.h"
#include "framework/registry.h"

namespace berth::plugins {

class DeferredPodScheduling final : public framework::Plugin,
                                    public framework::PreFilterPlugin,
                                    public framework::FilterPlugin,
                                    public framework::PermitPlugin,
                                    public framework::EnqueueExtensions {
 public:
  static constexpr std::string_view kName = "DeferredPodScheduling";

  std::string_view name() const override { return kName; }
  framework::PreFilterResult PreFilter(framework::Cycle& cycle) const override;
  framework::Status FilterNode(framework::Cycle& cycle, framework::NodeSlot node) const override;
  framework::PermitResult Permit(framework::Cycle& cycle, framework::NodeSlot node) const override;
  std::vector<framework::EventRegistration> EventsToRegister() const override;
  Result<framework::QueueingHint> Hint(const cluster::PodInfo& pod, const framework::Change& change,
                                       const cluster::Cluster& cluster) const override;
};

}  // namespace berth::plugins
