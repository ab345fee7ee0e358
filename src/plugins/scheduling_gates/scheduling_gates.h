// SPDX-License-Identifier: Apache-2.0
// SchedulingGates: keeps pods out of the queue while spec.schedulingGates is not empty.

#pragma once

#include "framework/events.h"
#include "framework/registry.h"

namespace berth::plugins {

class SchedulingGates final : public framework::Plugin,
                              public framework::PreEnqueuePlugin,
                              public framework::EnqueueExtensions {
 public:
  static constexpr std::string_view kName = "SchedulingGates";

  std::string_view name() const override { return kName; }
  framework::Status PreEnqueue(const cluster::PodInfo& pod, const cluster::Cluster& cluster) const override;
  std::vector<framework::EventRegistration> EventsToRegister() const override;
};

}  // namespace berth::plugins
