// SPDX-License-Identifier: Apache-2.0
// The feature gates of a simulated cluster: by its seed, no groups of pods, or more and more of them.

#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "framework/feature_gates.h"

namespace berth::sim {

inline framework::FeatureGates GatesOf(uint64_t seed) {
  std::map<std::string, bool> gates;
  const uint64_t kind = seed % 4;
  if (kind >= 1) gates["GenericWorkload"] = true;
  if (kind >= 2) gates["TopologyAwareWorkloadScheduling"] = true;
  if (kind >= 3) gates["CompositePodGroup"] = gates["DRAWorkloadResourceClaims"] = true;
  return framework::FeatureGates::Create(gates).value();
}

}  // namespace berth::sim
