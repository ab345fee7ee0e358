// SPDX-License-Identifier: Apache-2.0
// NodeResourcesFit keeps pods off nodes without enough free resources, and ranks nodes by how full they are.
//
// Filter reports every resource that is short. A request larger than the node's whole allocatable amount cannot be
// met by preemption and makes the rejection unresolvable. Score is local to a node: it follows the configured strategy
// (least allocated, most allocated, or a function of the ratio of requested to capacity) over the configured resources.
//
// Thread: core. Cost: one pass over a few columns.

#pragma once

#include <memory>
#include <set>
#include <string>

#include "framework/args/resource_spec.h"
#include "framework/events.h"
#include "framework/group.h"
#include "framework/registry.h"
#include "plugins/helpers/broken_linear.h"
#include "plugins/helpers/scored_resources.h"

namespace berth::plugins {

struct RequestedToCapacityRatioParam {
  std::vector<framework::UtilizationShapePoint> shape;

  static constexpr auto Fields() {
    return std::array{framework::Member<&RequestedToCapacityRatioParam::shape>("shape")};
  }
  bool operator==(const RequestedToCapacityRatioParam&) const = default;
};

struct ScoringStrategy {
  static constexpr std::string_view kLeastAllocated = "LeastAllocated";
  static constexpr std::string_view kMostAllocated = "MostAllocated";
  static constexpr std::string_view kRequestedToCapacityRatio = "RequestedToCapacityRatio";

  std::string type = std::string(kLeastAllocated);
  std::vector<framework::ResourceSpec> resources = framework::DefaultResources();
  std::optional<RequestedToCapacityRatioParam> requested_to_capacity_ratio;

  static constexpr auto Fields() {
    return std::array{framework::Member<&ScoringStrategy::type>("type"),
                      framework::Member<&ScoringStrategy::resources>("resources"),
                      framework::Member<&ScoringStrategy::requested_to_capacity_ratio>("requestedToCapacityRatio")};
  }
  void Validate(const std::string& path, framework::FieldErrors& errors) const;
  bool operator==(const ScoringStrategy&) const = default;
};

class NodeResourcesFit final : public framework::Plugin,
                               public framework::PreFilterPlugin,
                               public framework::FilterPlugin,
                               public framework::PreScorePlugin,
                               public framework::ScorePlugin,
                               public framework::PlacementScorePlugin,
                               public framework::EnqueueExtensions {
 public:
  static constexpr std::string_view kName = "NodeResourcesFit";

  struct Args {
    static constexpr std::string_view kKind = "NodeResourcesFitArgs";
    static constexpr bool kCheckedWithProfile = true;

    std::vector<std::string> ignored_resources;
    std::vector<std::string> ignored_resource_groups;
    ScoringStrategy scoring_strategy;

    static void ReadStrategy(framework::StrictDecoder& decoder, api::Value value, Args& out);
    static constexpr auto Fields() {
      return std::array{framework::Member<&Args::ignored_resources>("ignoredResources"),
                        framework::Member<&Args::ignored_resource_groups>("ignoredResourceGroups"),
                        framework::Member<&Args::scoring_strategy>("scoringStrategy", ReadStrategy)};
    }
    void Complete(const framework::FeatureGates&) { framework::CompleteResources(scoring_strategy.resources); }
    void Validate(const framework::ArgsCheck& check) const;
    bool operator==(const Args&) const = default;
  };

  // `resizes`: pods are tried that await a resize on their node.
  explicit NodeResourcesFit(Args args, bool resizes = false);
  static Result<std::unique_ptr<framework::Plugin>> Create(const framework::PluginContext& context);

  std::string_view name() const override { return kName; }
  framework::PreFilterResult PreFilter(framework::Cycle&) const override { return {framework::Status::Success()}; }
  void Filter(framework::Cycle& cycle, framework::Candidates& candidates) const override;
  framework::PodInfluence influence_of_pods(const framework::Cycle& cycle) const override;
  bool FindMissing(const framework::Cycle& cycle, framework::NodeSlot node,
                   std::vector<framework::MissingRoom>& missing) const override;
  std::string_view without_pre_filter() const override {
    return "error reading \"PreFilterNodeResourcesFit\" from cycleState: not found";
  }
  framework::Status PreScore(framework::Cycle&, std::span<const framework::NodeSlot>) const override {
    return framework::Status::Success();
  }
  framework::Status Score(framework::Cycle& cycle, std::span<const framework::NodeSlot> nodes,
                          framework::Scores& scores) const override;
  framework::Reach filter_reach(const framework::Cycle& cycle) const override;
  framework::Reach score_reach(const framework::Cycle& cycle) const override;
  bool normalizes() const override { return false; }
  void NarrowTie(framework::Cycle& cycle, std::vector<framework::NodeSlot>& nodes) const override;
  bool has_fine_scores() const override { return true; }
  void FineScores(framework::Cycle& cycle, std::span<const framework::NodeSlot> nodes,
                  std::span<framework::FineMean> scores) const override;
  // How full the nodes of the placement are as a whole.
  framework::Status ScorePlacement(const framework::GroupNode& group, const framework::Placement& placement,
                                   std::span<const framework::ProposedAssignment> assignments,
                                   const cluster::Cluster& cluster, int64_t& score) const override;

  std::vector<framework::EventRegistration> EventsToRegister() const override;
  Result<framework::QueueingHint> Hint(const cluster::PodInfo& pod, const framework::Change& change,
                                       const cluster::Cluster& cluster) const override;

 private:
  bool Ignores(std::string_view scalar) const;
  FineMean FineScoreOf(std::span<const ScoredResource> resources, framework::NodeSlot slot) const;
  double RoughScoreOf(std::span<const ScoredResource> resources, framework::NodeSlot slot) const;

  std::set<std::string, std::less<>> ignored_resources_;
  std::set<std::string, std::less<>> ignored_resource_groups_;
  ScoringStrategy strategy_;
  bool resizes_;                             // Gate InPlacePodVerticalScalingSchedulerPreemption.
  std::optional<BrokenLinear> ratio_shape_;  // RequestedToCapacityRatio only.
};

}  // namespace berth::plugins
