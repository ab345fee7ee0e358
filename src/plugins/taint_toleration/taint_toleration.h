// SPDX-License-Identifier: Apache-2.0
// TaintToleration: keeps pods off nodes with taints they do not tolerate.
//
// NoSchedule and NoExecute taints reject a node. A node scores the better, the fewer PreferNoSchedule taints it has
// that the pod does not tolerate.
//
// Cost: one look per distinct set of taints, then one array read per node.

#pragma once

#include <memory>

#include "framework/events.h"
#include "framework/registry.h"

namespace berth::plugins {

class TaintToleration final : public framework::Plugin,
                              public framework::PreFilterPlugin,
                              public framework::FilterPlugin,
                              public framework::PreScorePlugin,
                              public framework::ScorePlugin,
                              public framework::EnqueueExtensions {
 public:
  static constexpr std::string_view kName = "TaintToleration";
  static constexpr std::string_view kReason = "node(s) had untolerated taint(s)";
  static Result<std::unique_ptr<framework::Plugin>> Create(const framework::PluginContext& context);

  explicit TaintToleration(bool comparison_operators) : comparison_operators_(comparison_operators) {}

  std::string_view name() const override { return kName; }
  bool skips_resizes() const override { return true; }
  framework::PreFilterResult PreFilter(framework::Cycle& cycle) const override;
  void Filter(framework::Cycle& cycle, framework::Candidates& candidates) const override;
  framework::Reach filter_reach(const framework::Cycle&) const override { return framework::Reach::kNode; }
  framework::PodInfluence influence_of_pods(const framework::Cycle&) const override {
    return framework::PodInfluence::kNone;
  }
  // Has nothing to prepare; a configuration may name the plugin at this point.
  framework::Status PreScore(framework::Cycle&, std::span<const cluster::NodeSlot>) const override { return {}; }
  framework::Status Score(framework::Cycle& cycle, std::span<const cluster::NodeSlot> nodes,
                          framework::Scores& scores) const override;
  framework::Reach score_reach(const framework::Cycle&) const override { return framework::Reach::kNode; }
  framework::Status Normalize(framework::Cycle& cycle, std::span<const cluster::NodeSlot> nodes,
                              framework::Scores& scores) const override;
  std::string_view without_pre_score() const override {
    return "failed to read \"PreScoreTaintToleration\" from cycleState: not found";
  }

  std::vector<framework::EventRegistration> EventsToRegister() const override;
  Result<framework::QueueingHint> Hint(const cluster::PodInfo& pod, const framework::Change& change,
                                       const cluster::Cluster& cluster) const override;

 private:
  struct State;
  State& MakeState(framework::Cycle& cycle) const;
  int64_t CountUntoleratedPreferences(const std::vector<api::Toleration>& tolerations,
                                      const std::vector<api::Taint>& taints) const;

  bool comparison_operators_;  // TaintTolerationComparisonOperators.
};

}  // namespace berth::plugins
