// SPDX-License-Identifier: Apache-2.0
// PodTopologySpread: keeps the pods that a constraint selects evenly spread over zones, hosts or other domains.
//
// Filter turns down nodes whose domain would get more than maxSkew pods above the least filled domain (DoNotSchedule
// constraints). Score prefers domains with fewer pods (ScheduleAnyway constraints); a constraint weighs by the
// logarithm of its number of domains. Pods are counted by the cluster's pod counters, and their sums by domain are kept
// (DomainPods), so a cycle costs what changed and the nodes that are asked for.
//
// Thread: core.

#pragma once

#include <memory>
#include <string_view>

#include "framework/events.h"
#include "framework/plugin.h"
#include "framework/registry.h"
#include "plugins/pod_topology_spread/constraints.h"
#include "plugins/pod_topology_spread/domain_pods.h"
#include "plugins/pod_topology_spread/node_inclusion.h"

namespace berth::plugins {

class PodTopologySpread final : public framework::Plugin,
                                public framework::PreFilterPlugin,
                                public framework::FilterPlugin,
                                public framework::PreScorePlugin,
                                public framework::ScorePlugin,
                                public framework::TraitPlugin,
                                public framework::EnqueueExtensions {
 public:
  static constexpr std::string_view kName = "PodTopologySpread";
  static constexpr std::string_view kReasonSkew = "node(s) didn't match pod topology spread constraints";
  static constexpr std::string_view kReasonMissingLabel =
      "node(s) didn't match pod topology spread constraints (missing required label)";

  struct Args {
    static constexpr std::string_view kKind = "PodTopologySpreadArgs";
    static constexpr std::string_view kSystemDefaulting = "System";
    static constexpr std::string_view kListDefaulting = "List";

    std::vector<api::TopologySpreadConstraint> default_constraints;
    std::string defaulting_type = std::string(kSystemDefaulting);

    static constexpr auto Fields() {
      return std::array{framework::Member<&Args::default_constraints>("defaultConstraints"),
                        framework::Member<&Args::defaulting_type>("defaultingType")};
    }
    void Complete(const framework::FeatureGates& gates);
    void Validate(const framework::ArgsCheck& check) const;
    bool operator==(const Args&) const = default;
  };

  static Result<std::unique_ptr<framework::Plugin>> Create(const framework::PluginContext& context);
  explicit PodTopologySpread(spread::Options options) : options_(std::move(options)) {}

  std::string_view name() const override { return kName; }
  bool skips_resizes() const override { return true; }

  framework::PreFilterResult PreFilter(framework::Cycle& cycle) const override;
  bool has_extensions() const override { return true; }
  framework::Status AddPod(framework::Cycle& cycle, const cluster::PodInfo& pod,
                           framework::NodeSlot node) const override;
  framework::Status RemovePod(framework::Cycle& cycle, const cluster::PodInfo& pod,
                              framework::NodeSlot node) const override;
  void Filter(framework::Cycle& cycle, framework::Candidates& candidates) const override;
  std::string_view without_pre_filter() const override {
    return "reading \"PreFilterPodTopologySpread\" from cycleState: not found";
  }

  framework::Status PreScore(framework::Cycle& cycle, std::span<const framework::NodeSlot> nodes) const override;
  framework::Status Score(framework::Cycle& cycle, std::span<const framework::NodeSlot> nodes,
                          framework::Scores& scores) const override;
  framework::Status Normalize(framework::Cycle& cycle, std::span<const framework::NodeSlot> nodes,
                              framework::Scores& scores) const override;
  // A node is judged by its domains, or by its own pods where each node is a domain.
  framework::Reach filter_reach(const framework::Cycle&) const override { return framework::Reach::kTraits; }
  framework::Reach score_reach(const framework::Cycle&) const override { return framework::Reach::kTraits; }
  bool AppendSources(framework::Cycle& cycle, Sources& sources) const override;
  void AppendTraits(const framework::Cycle& cycle, framework::NodeSlot node, Traits& traits) const override;
  std::string_view without_pre_score() const override {
    return "error reading \"PreScorePodTopologySpread\" from cycleState: not found";
  }

  std::vector<framework::EventRegistration> EventsToRegister() const override;
  Result<framework::QueueingHint> Hint(const cluster::PodInfo& pod, const framework::Change& change,
                                       const cluster::Cluster& cluster) const override;

 private:
  framework::Status UpdateWithPod(framework::Cycle& cycle, const cluster::PodInfo& pod, framework::NodeSlot node,
                                  int32_t delta) const;

  // The pods of each domain, as `constraint` counts them on nodes with all of the `required` keys.
  spread::DomainPodsPtr CountByDomain(framework::Cycle& cycle, const spread::Constraint& constraint,
                                      spread::TopologyPtr topology, std::vector<spread::TopologyPtr> required,
                                      spread::NodeInclusion& inclusion) const;
  // The constraints by which nodes are scored. False: there are none.
  Result<bool> MakeScoreState(framework::Cycle& cycle) const;

  spread::Options options_;
};

}  // namespace berth::plugins
