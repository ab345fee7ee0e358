// SPDX-License-Identifier: Apache-2.0
// What InterPodAffinity remembers within a cycle.

#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "cluster/pod_counter.h"
#include "framework/cycle.h"
#include "plugins/inter_pod_affinity/topology_sums.h"

namespace berth::plugins::interpod {

// One of the pod's own required anti-affinity terms.
struct AntiTerm {
  const cluster::AffinityTerm* term;  // In the pod's template.
  std::shared_ptr<const cluster::PodCounter> counter;
};

struct FilterState {
  // `outlives_changes`: see TopologySums.
  explicit FilterState(bool outlives_changes)
      : affinity(outlives_changes), anti_affinity(outlives_changes), existing(outlives_changes) {}

  // Pods that match all of the pod's required affinity terms, by each term's topology key.
  TopologySums affinity;
  std::shared_ptr<const cluster::PodCounter> affinity_counter;  // nullptr: the pod has no such term.
  bool matches_itself = false;                                  // The pod matches its own affinity terms.
  // Pods that match a required anti-affinity term of the pod.
  TopologySums anti_affinity;
  std::vector<AntiTerm> anti_terms;
  // Pods with a required anti-affinity term that matches the pod.
  TopologySums existing;
};

struct State : framework::PluginState {
  std::optional<FilterState> filter;
  std::optional<TopologySums> score;
};

}  // namespace berth::plugins::interpod
