// SPDX-License-Identifier: Apache-2.0
// What PodTopologySpread remembers within a cycle.

#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "framework/cycle.h"
#include "plugins/pod_topology_spread/constraints.h"
#include "plugins/pod_topology_spread/domain_counts.h"
#include "plugins/pod_topology_spread/node_inclusion.h"

namespace berth::plugins::spread {

// A DoNotSchedule constraint with the pods of each domain.
struct HardConstraint {
  Constraint constraint;
  std::shared_ptr<const cluster::TopologyKey> topology;
  DomainCounts domains;
  bool self_match = false;   // The pod itself is one of those to be spread.
  bool key_missing = false;  // Some node does not have the topology key.

  // Domains with more pods than this cannot take the pod.
  int64_t Limit() {
    const bool too_few = static_cast<int64_t>(domains.domains()) < constraint.min_domains;
    const int64_t minimum = too_few ? 0 : domains.minimum();
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
  std::shared_ptr<const cluster::TopologyKey> topology;
  std::shared_ptr<const cluster::PodCounter> counter;  // nullptr: counts no pod.
  bool per_node = false;                               // Spread over hosts: the node's own pods count.
  double weight = 0;
  std::vector<double> by_domain;  // What a node of the domain gets; empty when per_node.

  double ScoreOf(int64_t pods) const {
    return static_cast<double>(pods) * weight + static_cast<double>(constraint.max_skew - 1);
  }
};

struct ScoreState {
  std::vector<SoftConstraint> constraints;
  std::vector<uint8_t> ignored;  // By slot: lacks a topology key, so is not scored. Empty: no node is ignored.

  bool IsIgnored(cluster::NodeSlot slot) const { return !ignored.empty() && ignored[slot.index] != 0; }
};

struct State : framework::PluginState {
  std::optional<FilterState> filter;
  std::optional<ScoreState> score;
};

}  // namespace berth::plugins::spread
