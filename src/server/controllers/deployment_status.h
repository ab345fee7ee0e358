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
  int64_t present = 0;
  int64_t updated = 0;
  int64_t ready = 0;
  int64_t available = 0;
  std::string newest;  // The name of the newest set.
};

// Changes `status` to what the counts say about a deployment of this spec.
void SetDeploymentStatus(Json& status, const Json& spec, const DeploymentCounts& counts, Time now);

// When a deployment that moves no further than this has failed. Nothing: it has arrived, or failed, or may take
// forever.
std::optional<Time> ProgressDeadline(const Json& status, const Json& spec);

}  // namespace berth::server
