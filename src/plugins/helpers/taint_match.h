// SPDX-License-Identifier: Apache-2.0
// TaintMatch: on which nodes a pod tolerates the taints, worked out once per distinct set of taints.
//
// The taints that count here are those that keep pods away: NoSchedule and NoExecute.
//
// Thread: core. Valid as long as the node table's taints do not change: for one cycle.

#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "api/parts/toleration.h"
#include "cluster/node_table.h"

namespace berth::plugins {

// Whether `tolerations` tolerate every NoSchedule and NoExecute taint of `taints`.
bool ToleratesTaints(const std::vector<api::Toleration>& tolerations, const std::vector<api::Taint>& taints,
                     bool comparison_operators);

class TaintMatch {
 public:
  TaintMatch(const std::vector<api::Toleration>& tolerations, bool comparison_operators,
             const cluster::NodeTable& nodes);

  // True when no node at all has a taint that the pod does not tolerate.
  bool tolerates_all() const { return tolerates_all_; }
  // Whether the pod tolerates the taints of the node in `slot`. REQUIRES: the row has a Node object.
  bool Tolerates(cluster::NodeSlot slot) const { return tolerated_[nodes_.taint_set[slot.index]] != 0; }

 private:
  const cluster::NodeTable& nodes_;
  bool tolerates_all_ = true;
  std::vector<uint8_t> tolerated_;  // By taint set.
};

}  // namespace berth::plugins
