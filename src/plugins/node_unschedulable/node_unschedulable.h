// SPDX-License-Identifier: Apache-2.0
// NodeUnschedulable: keeps pods off cordoned nodes unless they tolerate the taint of cordoned nodes.

#pragma once

#include <memory>

#include "framework/events.h"
#include "framework/registry.h"

namespace berth::plugins {

class NodeUnschedulable final : public framework::Plugin,
                                public framework::PreFilterPlugin,
                                public framework::FilterPlugin,
                                public framework::EnqueueExtensions {
 public:
  static constexpr std::string_view kName = "NodeUnschedulable";
  static constexpr std::string_view kReason = "node(s) were unschedulable";
  static Result<std::unique_ptr<framework::Plugin>> Create(const framework::PluginContext& context);

  explicit NodeUnschedulable(bool comparison_operators) : comparison_operators_(comparison_operators) {}

  std::string_view name() const override { return kName; }
  bool skips_resizes() const override { return true; }
  // Has nothing to prepare; a configuration may name the plugin at this point.
  framework::PreFilterResult PreFilter(framework::Cycle&) const override { return {}; }
  void Filter(framework::Cycle& cycle, framework::Candidates& candidates) const override;
  framework::Reach filter_reach(const framework::Cycle&) const override { return framework::Reach::kNode; }
  framework::PodInfluence influence_of_pods(const framework::Cycle&) const override {
    return framework::PodInfluence::kNone;
  }

  std::vector<framework::EventRegistration> EventsToRegister() const override;
  Result<framework::QueueingHint> Hint(const cluster::PodInfo& pod, const framework::Change& change,
                                       const cluster::Cluster& cluster) const override;

 private:
  bool ToleratesCordon(const cluster::PodInfo& pod) const;

  bool comparison_operators_;  // TaintTolerationComparisonOperators.
};

}  // namespace berth::plugins
