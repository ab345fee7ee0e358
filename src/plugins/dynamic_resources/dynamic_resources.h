// SPDX-License-Identifier: Apache-2.0
// DynamicResources: resource claims, which are not supported yet.
//
// The plugin keeps its place in the order of plugins, where it is visible even for pods without claims: its PostFilter
// ends the search for a way out when an earlier plugin rejected the pod before its own PreFilter has run. Pods with
// claims are turned down.

#pragma once

#include <memory>

#include "framework/events.h"
#include "framework/registry.h"

namespace berth::plugins {

class DynamicResources final : public framework::Plugin,
                               public framework::PreEnqueuePlugin,
                               public framework::PreFilterPlugin,
                               public framework::FilterPlugin,
                               public framework::PostFilterPlugin,
                               public framework::ScorePlugin,
                               public framework::ReservePlugin,
                               public framework::PreBindPlugin,
                               public framework::EnqueueExtensions {
 public:
  static constexpr std::string_view kName = "DynamicResources";
  static Result<std::unique_ptr<framework::Plugin>> Create(const framework::PluginContext& context);

  std::string_view name() const override { return kName; }
  // A pod whose claims are not there yet has to wait.
  framework::Status PreEnqueue(const cluster::PodInfo& pod, const cluster::Cluster& cluster) const override;
  framework::PreFilterResult PreFilter(framework::Cycle& cycle) const override;
  void Filter(framework::Cycle&, framework::Candidates&) const override {}
  std::string_view without_pre_filter() const override { return "not found"; }
  framework::PostFilterResult PostFilter(framework::Cycle& cycle, const framework::Profile& profile,
                                         const framework::Diagnosis& diagnosis,
                                         framework::Effects& effects) const override;
  framework::Status Score(framework::Cycle& cycle, std::span<const cluster::NodeSlot> nodes,
                          framework::Scores& scores) const override;
  framework::Status Reserve(framework::Cycle& cycle, cluster::NodeSlot node) const override;
  void Unreserve(framework::Cycle&, cluster::NodeSlot) const override {}
  framework::Status PreBindPreFlight(framework::Cycle& cycle, cluster::NodeSlot node) const override;
  framework::Status PreBind(framework::Cycle&, cluster::NodeSlot, Time, framework::Effects&) const override {
    return {};
  }
  std::vector<framework::EventRegistration> EventsToRegister() const override;
  Result<framework::QueueingHint> Hint(const cluster::PodInfo& pod, const framework::Change& change,
                                       const cluster::Cluster& cluster) const override;
};

}  // namespace berth::plugins
