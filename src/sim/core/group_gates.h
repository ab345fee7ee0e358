// SPDX-License-Identifier: Apache-2.0
// The feature gates of a simulated cluster: by its seed, no groups of pods, or more and more of them.

#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "framework/feature_gates.h"

namespace berth::sim {

// `kind` says how many of the gates are on: 0 none, 3 all.
inline framework::FeatureGates GroupGates(uint64_t kind) {
  std::map<std::string, bool> gates;
  if (kind >= 1) gates["GenericWorkload"] = true;
  if (kind >= 2) gates["TopologyAwareWorkloadScheduling"] = true;
  if (kind >= 3) gates["CompositePodGroup"] = gates["DRAWorkloadResourceClaims"] = true;
  return framework::FeatureGates::Create(gates).value();
}

inline framework::FeatureGates AllGroupGates() { return GroupGates(3); }

inline framework::FeatureGates GatesOf(uint64_t seed) { return GroupGates(seed % 4); }

}  // namespace berth::sim
