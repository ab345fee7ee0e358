// SPDX-License-Identifier: Apache-2.0
// NodeDeclaredFeatures: a pod whose spec uses a feature goes to nodes that declare it (status.declaredFeatures).

#pragma once

#include <memory>
#include <string_view>
#include <vector>

#include "framework/events.h"
#include "framework/registry.h"

namespace berth::plugins {

// The features that a node must declare to run the pod.
std::vector<std::string_view> RequiredNodeFeatures(const api::PodSpec& spec);

class NodeDeclaredFeatures final : public framework::Plugin,
                                   public framework::PreFilterPlugin,
                                   public framework::FilterPlugin,
                                   public framework::EnqueueExtensions {
 public:
  static constexpr std::string_view kName = "NodeDeclaredFeatures";
  static constexpr std::string_view kReason = "node(s) didn't match Pod's required features";
  static Result<std::unique_ptr<framework::Plugin>> Create(const framework::PluginContext& context);

  explicit NodeDeclaredFeatures(bool enabled) : enabled_(enabled) {}

  std::string_view name() const override { return kName; }
  bool skips_resizes() const override { return true; }
  framework::PreFilterResult PreFilter(framework::Cycle& cycle) const override;
  void Filter(framework::Cycle& cycle, framework::Candidates& candidates) const override;
  framework::Reach filter_reach(const framework::Cycle&) const override { return framework::Reach::kNode; }
  framework::PodInfluence influence_of_pods(const framework::Cycle&) const override {
    return framework::PodInfluence::kNone;
  }
  std::string_view without_pre_filter() const override {
    return enabled_ ? "error reading \"PreFilterNodeDeclaredFeatures\" from cycle-state: not found" : "";
  }

  std::vector<framework::EventRegistration> EventsToRegister() const override;
  Result<framework::QueueingHint> Hint(const cluster::PodInfo& pod, const framework::Change& change,
                                       const cluster::Cluster& cluster) const override;

 private:
  bool enabled_;  // NodeDeclaredFeatures, the gate.
};

}  // namespace berth::plugins
