// SPDX-License-Identifier: Apache-2.0
// MatchInterPodAffinity and InterPodAffinityPriority: today's InterPodAffinity with what was different in v1.16.
//
// Predicate: a node is rejected with two reasons, existing pods' anti-affinity comes first, the first pod of a series
// that wants to be together may go anywhere, and a nominated pod does not count for the terms of the pod itself.
// Priority: the range of the sums always includes 0.

#pragma once

#include <memory>

#include "plugins/inter_pod_affinity/inter_pod_affinity.h"
#include "plugins/legacy/v116/algorithm.h"

namespace berth::plugins::legacy::v116 {

class MatchInterPodAffinity final : public InterPodAffinity {
 public:
  static constexpr std::string_view kName = "MatchInterPodAffinity";
  static constexpr std::string_view kReason = "node(s) didn't match pod affinity/anti-affinity";

  MatchInterPodAffinity() : InterPodAffinity({}) {}

  std::string_view name() const override { return kName; }
  framework::PreFilterResult PreFilter(framework::Cycle& cycle) const override;
  framework::Status AddPod(framework::Cycle& cycle, const cluster::PodInfo& pod,
                           framework::NodeSlot node) const override;
  framework::Status RemovePod(framework::Cycle& cycle, const cluster::PodInfo& pod,
                              framework::NodeSlot node) const override;
  void Filter(framework::Cycle& cycle, framework::Candidates& candidates) const override;
  framework::Reach filter_reach(const framework::Cycle&) const override { return framework::Reach::kCluster; }
  std::vector<framework::EventRegistration> EventsToRegister() const override;
};

class InterPodAffinityPriority final : public InterPodAffinity {
 public:
  static constexpr std::string_view kName = "InterPodAffinityPriority";

  using InterPodAffinity::InterPodAffinity;

  std::string_view name() const override { return kName; }
  framework::Status Normalize(framework::Cycle& cycle, std::span<const framework::NodeSlot> nodes,
                              framework::Scores& scores) const override;
};

}  // namespace berth::plugins::legacy::v116
