// SPDX-License-Identifier: Apache-2.0
// NodeSearch: finds the nodes that a pod fits on.
//
// All nodes are looked at, unless percentageOfNodesToScore is set (0 included): then the search stops once enough nodes
// fit and the next one goes on where it ended, by upstream's rules.
//
// Thread: core.

#pragma once

#include <optional>
#include <span>
#include <vector>

#include "framework/profile.h"

namespace berth::scheduler {

using cluster::NodeSlot;

// How many feasible nodes are enough among `node_count` nodes. `percentage` 0 means adaptive.
int32_t FeasibleNodesToFind(int32_t percentage, int32_t node_count);

class NodeSearch {
 public:
  // `percentage` applies to profiles that set none of their own; absent means all nodes. `wants_choice`: somebody
  // besides the profile filters or scores nodes, so that one node that fits is not enough.
  explicit NodeSearch(std::optional<int32_t> percentage, bool wants_choice = false)
      : percentage_(percentage), wants_choice_(wants_choice) {}

  // Filters `nodes`. Feasible nodes are left in cycle.candidates().nodes(), verdicts and errors in cycle.candidates().
  // REQUIRES: the candidates were Reset by the caller; verdicts that they hold already count as looked at.
  void Run(const framework::Profile& profile, framework::Cycle& cycle, std::span<const NodeSlot> nodes);

  // Whether it looks at every node for this profile.
  bool LooksAtAll(const framework::Profile& profile) const {
    return !profile.percentage_of_nodes_to_score() && !percentage_;
  }

  // Where the next search starts, in upstream's terms.
  size_t next_start() const { return next_start_; }
  void set_next_start(size_t start) { next_start_ = start; }

 private:
  void RunSampled(const framework::Profile& profile, framework::Cycle& cycle, std::span<const NodeSlot> nodes,
                  size_t limit);

  std::optional<int32_t> percentage_;
  bool wants_choice_;
  size_t next_start_ = 0;
  framework::Candidates chunk_;
};

}  // namespace berth::scheduler
