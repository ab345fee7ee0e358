// SPDX-License-Identifier: Apache-2.0
// VictimUnit: pods that are evicted together or not at all.
//
// That is a single pod, or all pods of a group whose disruption mode is all, wherever they are. Of groups one above the
// other the highest with that mode counts. The priority is that of the root of the pod's tree.

#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/result.h"
#include "cluster/cluster.h"
#include "framework/preemption.h"
#include "plugins/default_preemption/disruption_budgets.h"

namespace berth::plugins {

struct VictimUnit {
  // Ranked: what comes later is more important.
  enum class Kind : uint8_t { kPod, kPodGroup, kCompositePodGroup };
  Kind kind = Kind::kPod;  // A single pod of a group ranks like its group.
  int32_t priority = 0;
  std::vector<cluster::PodPtr> pods;  // On nodes; at least one.
  Time start;                         // The earliest.
};

// Important is what has a high priority and, among equals, the higher kind, more pods, the earlier start.
bool MoreImportant(const VictimUnit& a, const VictimUnit& b);

// The units of lower priority that have a pod on one of `nodes`, in the order of nodes and pods. Fails with upstream's
// text if a pod of a unit is on a node that does not exist.
Result<std::vector<VictimUnit>> UnitsBelow(int32_t priority, std::span<const cluster::NodeSlot> nodes,
                                           const cluster::Cluster& cluster);

// Evicts the units one after the other, as far as budgets are concerned: how many pods of each overdraw one.
std::vector<int64_t> Overdrawn(const std::vector<VictimUnit>& units, DisruptionBudgets& budgets);

}  // namespace berth::plugins
