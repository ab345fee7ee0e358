// SPDX-License-Identifier: Apache-2.0
// PreemptionCandidate: a node that a pod fits on once some pods are evicted from it.

#pragma once

#include <limits>
#include <vector>

#include "cluster/ids.h"
#include "cluster/pod_info.h"

namespace berth::plugins {

struct PreemptionCandidate {
  cluster::NodeSlot node;
  std::vector<cluster::PodPtr> victims;  // Most important first; at least one.
  size_t pdb_violations = 0;             // Victims that a disruption budget does not allow to evict.
};

// When the pod started. One that has not started counts as started after all others.
inline Time StartTime(const cluster::PodInfo& pod) {
  return pod.start_time.value_or(Time{std::numeric_limits<int64_t>::max()});
}

}  // namespace berth::plugins
