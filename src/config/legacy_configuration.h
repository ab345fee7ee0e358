// SPDX-License-Identifier: Apache-2.0
// LegacyConfiguration: KubeSchedulerConfiguration kubescheduler.config.k8s.io/v1alpha1, as v1.16 had it.
//
// It is read as v1.16 read it: unknown fields are ignored. What it says about the algorithm is left to policy/
// (FromPolicy, FromProvider). Unlike v1.16, nothing is served in plain HTTP unless an address is given, the lock of
// leader election is a lease, and all nodes are scored unless a percentage is given.

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "config/algorithm_source.h"
#include "framework/configuration.h"
#include "framework/feature_gates.h"

namespace berth::config {

inline constexpr std::string_view kLegacyApiVersion = "kubescheduler.config.k8s.io/v1alpha1";

struct LegacyConfiguration {
  framework::SchedulerConfiguration configuration;  // Complete, with today's default profile.
  AlgorithmSource source;                           // Never the monostate.
  std::string scheduler_name = "default-scheduler";
  int32_t hard_pod_affinity_weight = 1;
  bool disable_preemption = false;
  int64_t bind_timeout_seconds = 600;
  std::vector<std::string> plain_addresses;  // Of healthz and metrics, such as 0.0.0.0:10251; different ones.
};

// Whether the text is a configuration of that version; what cannot be read is none.
bool IsLegacyConfiguration(std::string_view yaml_or_json);

Result<LegacyConfiguration> LoadLegacy(std::string_view yaml_or_json, const framework::FeatureGates& gates);

}  // namespace berth::config
