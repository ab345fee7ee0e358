// SPDX-License-Identifier: Apache-2.0
// Preemption as plugins and others see it: candidate nodes with their victims, and who else has a say.

#pragma once

#include <limits>
#include <optional>
#include <vector>

#include "cluster/pod_info.h"
#include "cluster/tables/ids.h"
#include "framework/status.h"

namespace berth::framework {

class Cycle;

// A node that a pod fits on once some pods are evicted from it.
struct PreemptionCandidate {
  cluster::NodeSlot node;
  std::vector<cluster::PodPtr> victims;  // Most important first; at least one.
  int64_t pdb_violations = 0;            // Victims that a disruption budget does not allow to evict.
};

// What preemption has weighed for a pod, for explanations. There is none if there was no candidate.
struct PreemptionReport {
  std::vector<PreemptionCandidate> candidates;
  std::vector<PreemptionCandidate> before_review;  // Empty where nobody else has a say.
  std::vector<cluster::NodeSlot> acceptable;       // Nodes of the candidates that are equally good and best.
  std::optional<size_t> nominated;                 // Index of the chosen candidate.
};

// When the pod started. One that has not started counts as started after all others.
inline Time StartTime(const cluster::PodInfo& pod) {
  return pod.start_time.value_or(Time{std::numeric_limits<int64_t>::max()});
}

// Somebody outside the profile who may strike candidates, or name other victims.
class PreemptionReview {
 public:
  virtual ~PreemptionReview() = default;
  // Changes the candidates; none may be left. Wait: the verdict is not there yet, and the attempt will be repeated.
  virtual Status Review(Cycle& cycle, std::vector<PreemptionCandidate>& candidates) = 0;
};

}  // namespace berth::framework
