// SPDX-License-Identifier: Apache-2.0
// InterPodAffinity: puts pods near to or away from other pods, as their affinity terms say.
//
// Filter honours the required terms of the pod and the required anti-affinity of the pods that are there; Score adds up
// the weights of preferred terms of both sides and a fixed weight for required affinity towards the pod. The pod's
// terms are answered by the cluster's pod counters, those of others by its affinity index; both keep their sums per
// domain. So before the nodes are looked at, a cycle costs by term that can match, and a look at a node costs by term
// that does.
//
// Thread: core.

#pragma once

#include <memory>
#include <string_view>

#include "framework/events.h"
#include "framework/plugin.h"
#include "framework/registry.h"

namespace berth::plugins {

class InterPodAffinity : public framework::Plugin,
                         public framework::PreFilterPlugin,
                         public framework::FilterPlugin,
                         public framework::PreScorePlugin,
                         public framework::ScorePlugin,
                         public framework::TraitPlugin,
                         public framework::EnqueueExtensions {
 public:
  static constexpr std::string_view kName = "InterPodAffinity";
  static constexpr std::string_view kReasonAffinity = "node(s) didn't match pod affinity rules";
  static constexpr std::string_view kReasonAntiAffinity = "node(s) didn't match pod anti-affinity rules";
  static constexpr std::string_view kReasonExisting = "node(s) didn't satisfy existing pods anti-affinity rules";

  struct Args {
    static constexpr std::string_view kKind = "InterPodAffinityArgs";

    int32_t hard_pod_affinity_weight = 1;
    bool ignore_preferred_terms_of_existing_pods = false;

    static constexpr auto Fields() {
      return std::array{
          framework::Member<&Args::hard_pod_affinity_weight>("hardPodAffinityWeight"),
          framework::Member<&Args::ignore_preferred_terms_of_existing_pods>("ignorePreferredTermsOfExistingPods")};
    }
    void Validate(const framework::ArgsCheck& check) const;
    bool operator==(const Args&) const = default;
  };

  explicit InterPodAffinity(Args args) : args_(args) {}

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
    return "error reading \"PreFilterInterPodAffinity\" from cycleState: not found";
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
    return "failed to read \"PreScoreInterPodAffinity\" from cycleState: not found";
  }

  std::vector<framework::EventRegistration> EventsToRegister() const override;
  Result<framework::QueueingHint> Hint(const cluster::PodInfo& pod, const framework::Change& change,
                                       const cluster::Cluster& cluster) const override;

 private:
  framework::Status UpdateWithPod(framework::Cycle& cycle, const cluster::PodInfo& pod, framework::NodeSlot node,
                                  int64_t delta) const;

  Args args_;
};

}  // namespace berth::plugins
