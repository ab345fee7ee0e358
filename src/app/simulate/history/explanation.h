// SPDX-License-Identifier: Apache-2.0
// Explanation: why one scheduling attempt ended as it did, in names and numbers that outlive the attempt.

#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "cluster/cluster.h"
#include "framework/profile.h"
#include "scheduler/decision.h"

namespace berth::simulate {

// Nodes that were turned down for the same reasons.
struct Rejection {
  std::string plugin;  // Empty: no plugin is to blame.
  std::vector<std::string> reasons;
  size_t count = 0;
  std::vector<std::string> nodes;  // The first by name; none if the nodes were not looked at one by one.
};

struct NodeScore {
  std::string node;
  int64_t total = 0;
  std::vector<int64_t> by_plugin;  // Weighted, in the order of score_plugins.
};

struct PreemptionOption {
  std::string node;
  std::vector<std::string> victims;  // "namespace/name", most important first.
  size_t pdb_violations = 0;
  bool is_chosen = false;
};

struct Explanation {
  size_t node_count = 0;
  std::vector<Rejection> rejections;  // Largest group first.
  bool is_nominated_node = false;     // The nominated node fitted, so no other was looked at.
  std::string chosen;                 // Empty: no node.
  size_t feasible_count = 0;
  struct ScorePlugin {
    std::string name;
    int64_t weight = 1;
  };
  std::vector<ScorePlugin> score_plugins;
  std::vector<NodeScore> scores;  // Best first. Empty if there was nothing to choose by score.
  size_t tied_count = 0;          // Nodes with the best score.
  std::vector<std::string> tied;
  std::string preemption;                 // What preemption said; empty if it was not asked.
  std::vector<PreemptionOption> options;  // The chosen one first.
  size_t option_count = 0;
};

// Lists of nodes hold at most `limit` of them. `cycle` may be null for an attempt that was scheduled. REQUIRES: the
// attempt was decided and no other has begun since.
Explanation Explain(const cluster::Cluster& cluster, const framework::Profile& profile, const framework::Cycle* cycle,
                    const scheduler::Decision& decision, size_t limit);

}  // namespace berth::simulate
