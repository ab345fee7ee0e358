// SPDX-License-Identifier: Apache-2.0
// NodePorts: a pod that asks for host ports goes where they are free.
//
// Two ports conflict when protocol and number are equal and the addresses are, or one of the addresses is 0.0.0.0.

#pragma once

#include <string_view>

#include "framework/events.h"
#include "framework/registry.h"

namespace berth::plugins {

// Whether a port that a pod wants (address and protocol filled in) conflicts with one in use.
bool PortsConflict(const api::HostPort& wanted, const cluster::UsedPort& used);

class NodePorts final : public framework::Plugin,
                        public framework::PreFilterPlugin,
                        public framework::FilterPlugin,
                        public framework::EnqueueExtensions {
 public:
  static constexpr std::string_view kName = "NodePorts";
  static constexpr std::string_view kReason = "node(s) didn't have free ports for the requested pod ports";

  std::string_view name() const override { return kName; }
  bool skips_resizes() const override { return true; }
  framework::PreFilterResult PreFilter(framework::Cycle& cycle) const override;
  void Filter(framework::Cycle& cycle, framework::Candidates& candidates) const override;
  framework::Reach filter_reach(const framework::Cycle&) const override { return framework::Reach::kNode; }
  std::string_view without_pre_filter() const override {
    return "reading \"PreFilterNodePorts\" from cycleState: not found";
  }
  std::vector<framework::EventRegistration> EventsToRegister() const override;
  Result<framework::QueueingHint> Hint(const cluster::PodInfo& pod, const framework::Change& change,
                                       const cluster::Cluster& cluster) const override;
};

}  // namespace berth::plugins
