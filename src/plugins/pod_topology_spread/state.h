// SPDX-License-Identifier: Apache-2.0
// What PodTopologySpread remembers within a cycle.

#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "framework/cycle.h"
#include "plugins/pod_topology_spread/constraints.h"
#include "plugins/pod_topology_spread/domain_pods.h"
#include "plugins/pod_topology_spread/node_inclusion.h"

namespace berth::plugins::spread {

// A DoNotSchedule constraint with the pods of each domain.
struct HardConstraint {
  Constraint constraint;
  TopologyPtr topology;
  DomainPodsPtr pods;
  std::optional<DomainCounts> tried = {};  // With the pods that are tried out; absent: none is.
  bool self_match = false;                 // The pod itself is one of those to be spread.

  const DomainCounts& domains() const { return tried ? *tried : pods->counts(); }
  // Domains with more pods than this cannot take the pod.
  int64_t Limit() const {
    const bool too_few = static_cast<int64_t>(domains().domains()) < constraint.min_domains;
    const int64_t minimum = too_few ? 0 : domains().minimum();
    return minimum + constraint.max_skew - (self_match ? 1 : 0);
  }
};

struct FilterState {
  std::vector<HardConstraint> constraints;
  NodeInclusion inclusion;
};

// A ScheduleAnyway constraint with what it adds to a node's score.
struct SoftConstraint {
  Constraint constraint;
  TopologyPtr topology;
  CounterPtr counter;     // nullptr: counts no pod.
  bool per_node = false;  // Spread over hosts: the node's own pods count.
  DomainPodsPtr pods;     // By domain; nullptr when per_node.
  double weight = 0;

  // REQUIRES: the node has the key.
  int64_t PodsOf(cluster::NodeSlot slot) const {
    if (!per_node) return pods->counts().count(topology->domain(slot));
    return counter == nullptr ? 0 : counter->count(slot);
  }

  double ScoreOf(int64_t count) const {
    return static_cast<double>(count) * weight + static_cast<double>(constraint.max_skew - 1);
  }
};

struct ScoreState {
  std::vector<SoftConstraint> constraints;
  bool requires_all = false;  // Nodes that lack a topology key are not scored.

  bool IsIgnored(cluster::NodeSlot slot) const {
    return requires_all && std::ranges::any_of(constraints, [slot](const SoftConstraint& soft) {
             return soft.topology->domain(slot) == cluster::kNoDomain;
           });
  }
};

struct State : framework::PluginState {
  std::optional<FilterState> filter;
  std::optional<ScoreState> score;
};

}  // namespace berth::plugins::spread
