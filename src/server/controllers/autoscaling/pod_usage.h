// SPDX-License-Identifier: Apache-2.0
// What simulated pods use of processors and memory: what their annotations say (server/kinds/pods/life_annotations.h),
// or half of what they request.

#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "server/controllers/pod_index.h"

namespace berth::server {

struct ContainerUsage {
  std::string name;
  int64_t cpu_milli = 0;
  int64_t memory_bytes = 0;
};

// Its containers and sidecars; none unless it runs.
std::vector<ContainerUsage> UsageOf(const PodInfo& pod);

// The containers of a pod that run side by side: also sidecars, which are among the first ones.
std::vector<Json> RunningContainers(const Json& pod);

// An amount in thousandths; 0 if it makes no sense, and no more than 2^53.
int64_t MilliOf(const Json& quantity);

// Adds as far as there is room.
void AddAmount(int64_t& sum, int64_t more);

}  // namespace berth::server
