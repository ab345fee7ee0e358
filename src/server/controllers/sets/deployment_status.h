// SPDX-License-Identifier: Apache-2.0
// The status of a Deployment: counts, and conditions that say whether it is available and moves on.

#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/time.h"
#include "server/model/json.h"

namespace berth::server {

struct DeploymentCounts {
  int64_t wanted = 0;  // By its sets.
  int64_t present = 0;
  int64_t updated = 0;
  int64_t ready = 0;
  int64_t available = 0;
  std::optional<int64_t> terminating = 0;  // Nothing: not all sets count them.
};

// What came of making a set of the present template, as a condition says it.
struct NewSetNews {
  bool is_made = false;
  std::string reason;
  std::string message;
};

// What is known of a Deployment's rollout.
struct RolloutState {
  std::string newest;  // The name of the newest set; "" if there is none.
  std::optional<NewSetNews> news = {};
  Json failure = {};      // The condition of a set that cannot make its pods; null if there is none.
  bool moves_on = false;  // It is rolling out; else only scaled.
};

// Changes `status` to what is known about a deployment with this tree.
void SetDeploymentStatus(Json& status, const Json& deployment, const DeploymentCounts& counts,
                         const RolloutState& rollout, Time now);

// Whether all its pods are of the present template and available, as far as `status` knows.
bool IsComplete(const Json& status, const Json& deployment);

// When a deployment that moves no further than this has failed. Nothing: it has arrived, or failed, or may take
// forever.
std::optional<Time> ProgressDeadline(const Json& status, const Json& spec);

}  // namespace berth::server
