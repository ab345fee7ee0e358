// SPDX-License-Identifier: Apache-2.0
// NodeName: a pod that names its node (spec.nodeName) goes nowhere else.

#pragma once

#include "framework/events.h"
#include "framework/registry.h"

namespace berth::plugins {

class NodeName final : public framework::Plugin,
                       public framework::PreFilterPlugin,
                       public framework::FilterPlugin,
                       public framework::EnqueueExtensions {
 public:
  static constexpr std::string_view kName = "NodeName";
  static constexpr std::string_view kReason = "node(s) didn't match the requested node name";

  std::string_view name() const override { return kName; }
  framework::PreFilterResult PreFilter(framework::Cycle& cycle) const override;
  void Filter(framework::Cycle& cycle, framework::Candidates& candidates) const override;
  framework::Reach filter_reach(const framework::Cycle&) const override { return framework::Reach::kNode; }
  framework::PodInfluence influence_of_pods(const framework::Cycle&) const override {
    return framework::PodInfluence::kNone;
  }
  std::vector<framework::EventRegistration> EventsToRegister() const override;
};

}  // namespace berth::plugins
