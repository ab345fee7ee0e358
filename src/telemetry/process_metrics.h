// SPDX-License-Identifier: Apache-2.0
// The metrics of a process: what it uses, what it was built from, which features are on, and the metrics about metrics.
//
// They are added to a registry once, after all others, and refreshed whenever it is printed.

#pragma once

#include <string>
#include <vector>

#include "base/time.h"
#include "telemetry/registry.h"

namespace berth::telemetry {

struct BuildInfo {
  std::string git_version;  // "v1.37.1"
  std::string emulation;    // "1.37"
  std::string min_compatibility;
};

struct FeatureState {
  std::string name;
  std::string stage;  // "ALPHA", "BETA", "" for a stable feature, "DEPRECATED".
  bool enabled = false;
};

// Reads /proc; what cannot be read stays 0.
void AddProcessMetrics(Registry& registry);
void AddBuildMetrics(Registry& registry, const BuildInfo& build);
void AddFeatureMetrics(Registry& registry, const std::vector<FeatureState>& features);
// How many metrics there are, are hidden and are disabled.
void AddMetaMetrics(Registry& registry);
// The one process metric of /metrics/slis.
void AddStartTimeMetric(Registry& registry);

// When this process started.
Time ProcessStartTime();

}  // namespace berth::telemetry
