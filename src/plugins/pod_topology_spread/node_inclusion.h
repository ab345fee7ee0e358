// SPDX-License-Identifier: Apache-2.0
// NodeInclusion: which nodes a spread constraint takes into account (nodeAffinityPolicy and nodeTaintsPolicy).
//
// Thread: core. Valid for one cycle.

#pragma once

#include <algorithm>
#include <optional>
#include <vector>

#include "plugins/helpers/required_node_affinity.h"
#include "plugins/helpers/taint_match.h"
#include "plugins/pod_topology_spread/constraints.h"

namespace berth::plugins::spread {

class NodeInclusion {
 public:
  NodeInclusion(const cluster::PodInfo& pod, const std::vector<Constraint>& constraints, bool comparison_operators,
                const cluster::NodeTable& nodes) {
    if (std::ranges::any_of(constraints, &Constraint::honor_affinity)) {
      RequiredNodeAffinity required(pod.spec());
      if (!required.matches_all()) affinity_.emplace(std::move(required), nodes);
    }
    if (std::ranges::any_of(constraints, &Constraint::honor_taints)) {
      taints_.emplace(pod.spec().tolerations, comparison_operators, nodes);
      if (taints_->tolerates_all()) taints_.reset();
    }
  }

  // Whether the constraint takes every node into account.
  bool IncludesAll(const Constraint& constraint) const {
    return !(constraint.honor_affinity && affinity_) && !(constraint.honor_taints && taints_);
  }
  // REQUIRES: the row has a Node object.
  bool Includes(const Constraint& constraint, cluster::NodeSlot slot) {
    if (constraint.honor_affinity && affinity_ && !affinity_->Matches(slot)) return false;
    return !constraint.honor_taints || !taints_ || taints_->Tolerates(slot);
  }

 private:
  // Absent: they would include every node.
  std::optional<NodeAffinityMatches> affinity_;
  std::optional<TaintMatch> taints_;
};

}  // namespace berth::plugins::spread
