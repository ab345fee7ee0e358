// SPDX-License-Identifier: Apache-2.0
// Rollout: how many replicas the sets of a Deployment shall have next.
//
// Called again and again with what there is by then, it moves all replicas to the newest set: never more in total than
// the surge allows, and never a pod taken from the old sets that the limit of missing pods needs.

#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "server/model/json.h"

namespace berth::server {

struct RolloutSet {
  int64_t wanted = 0;
  int64_t present = 0;
  int64_t available = 0;
};

struct RolloutPlan {
  int64_t replicas = 0;
  int64_t surge = 0;        // Pods beyond the wanted ones while rolling.
  int64_t unavailable = 0;  // Pods that may be missing while rolling.
  bool recreates = false;   // The old ones go before the new ones come.
};

// By the spec of a Deployment.
RolloutPlan PlanOf(const Json& spec);

// The sizes of `sets`, oldest first, of which the one at `newest` has the present template.
std::vector<int64_t> NextSizes(const RolloutPlan& plan, const std::vector<RolloutSet>& sets, size_t newest);

// The same of a Deployment that is paused: it is scaled, but does not move on.
std::vector<int64_t> PausedSizes(const RolloutPlan& plan, const std::vector<RolloutSet>& sets);

}  // namespace berth::server
