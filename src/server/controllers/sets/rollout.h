// SPDX-License-Identifier: Apache-2.0
// Rollout: how many replicas the sets of a Deployment shall have next.
//
// Called again and again with what there is by then, it moves all replicas to the newest set: never more in total than
// the surge allows, and never a pod taken from the old sets that the limit of missing pods needs.

#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "server/model/json.h"

namespace berth::server {

struct RolloutSet {
  int64_t wanted = 0;
  int64_t present = 0;
  int64_t available = 0;
  // What the Deployment was when the set was sized last: its replicas, and with their surge. 0: not known.
  int64_t replicas_then = 0;
  int64_t most_then = 0;
};

struct RolloutPlan {
  int64_t replicas = 0;
  int64_t surge = 0;        // Pods beyond the wanted ones while rolling.
  int64_t unavailable = 0;  // Pods that may be missing while rolling.
  bool recreates = false;   // The old ones go before the new ones come.

  int64_t most() const { return replicas + surge; }
};

// By the spec of a Deployment.
RolloutPlan PlanOf(const Json& spec);

// The sizes of `sets`, oldest first, of which the one at `newest` has the present template.
std::vector<int64_t> NextSizes(const RolloutPlan& plan, const std::vector<RolloutSet>& sets, size_t newest);

// The same of a Deployment that is paused, or has got another number of replicas: it is scaled, but does not move on.
// In the middle of a rollout each set gets its share. Nothing in `newest`: there is none of the present template.
std::vector<int64_t> ScaledSizes(const RolloutPlan& plan, const std::vector<RolloutSet>& sets,
                                 std::optional<size_t> newest);

}  // namespace berth::server
