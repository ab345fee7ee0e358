// SPDX-License-Identifier: Apache-2.0
// NodeAffinity: sends pods where their nodeSelector and node affinity want them.
//
// Required terms reject nodes, preferred terms score them. The profile may add an affinity of its own (addedAffinity),
// which every pod must satisfy as well. Required terms of a pod that do not compile match nothing; preferred ones fail
// the pod.
//
// Cost: terms are matched once per distinct set of node labels, or once per node where they look at its name.

#pragma once

#include <memory>
#include <optional>

#include "framework/events.h"
#include "framework/registry.h"
#include "plugins/helpers/required_node_affinity.h"
#include "plugins/node_affinity/preferred_node_terms.h"

namespace berth::plugins {

class NodeAffinity final : public framework::Plugin,
                           public framework::PreFilterPlugin,
                           public framework::FilterPlugin,
                           public framework::PreScorePlugin,
                           public framework::ScorePlugin,
                           public framework::EnqueueExtensions {
 public:
  static constexpr std::string_view kName = "NodeAffinity";
  static constexpr std::string_view kReasonPod = "node(s) didn't match Pod's node affinity/selector";
  static constexpr std::string_view kReasonAdded = "node(s) didn't match scheduler-enforced node affinity";
  static constexpr std::string_view kReasonConflict = "pod affinity terms conflict";

  struct Args {
    static constexpr std::string_view kKind = "NodeAffinityArgs";
    static constexpr std::string_view kMissing = "args are not of type NodeAffinityArgs, got <nil>";

    std::optional<api::NodeAffinity> added_affinity;
    // What is wrong with the selectors of added_affinity, each as `.path: reason` below the args. Found while decoding,
    // since the texts tell `values: []` from an absent list and the decoded form does not. Empty if all is well.
    std::vector<std::string> selector_errors;

    static constexpr auto Fields() { return std::array{framework::Member<&Args::added_affinity>("addedAffinity")}; }
    void Decoded(api::Value written);
    void Validate(const framework::ArgsCheck& check) const;
    bool operator==(const Args&) const = default;
  };

  static Result<std::unique_ptr<framework::Plugin>> Create(const framework::PluginContext& context);

  std::string_view name() const override { return kName; }
  bool skips_resizes() const override { return true; }
  framework::PreFilterResult PreFilter(framework::Cycle& cycle) const override;
  void Filter(framework::Cycle& cycle, framework::Candidates& candidates) const override;
  framework::Reach filter_reach(const framework::Cycle&) const override { return framework::Reach::kNode; }
  framework::PodInfluence influence_of_pods(const framework::Cycle&) const override {
    return framework::PodInfluence::kNone;
  }
  framework::Status PreScore(framework::Cycle& cycle, std::span<const cluster::NodeSlot> nodes) const override;
  framework::Status Score(framework::Cycle& cycle, std::span<const cluster::NodeSlot> nodes,
                          framework::Scores& scores) const override;
  framework::Reach score_reach(const framework::Cycle&) const override { return framework::Reach::kNode; }
  framework::Status Normalize(framework::Cycle& cycle, std::span<const cluster::NodeSlot> nodes,
                              framework::Scores& scores) const override;

  std::vector<framework::EventRegistration> EventsToRegister() const override;
  Result<framework::QueueingHint> Hint(const cluster::PodInfo& pod, const framework::Change& change,
                                       const cluster::Cluster& cluster) const override;

 private:
  struct State;
  State& StateOf(framework::Cycle& cycle) const;
  Result<void> AddAffinity(const api::NodeAffinity& added);

  // Of the profile.
  std::optional<RequiredNodeAffinity> added_required_;
  std::optional<PreferredNodeTerms> added_preferred_;
};

}  // namespace berth::plugins
