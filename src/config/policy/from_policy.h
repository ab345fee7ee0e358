// SPDX-License-Identifier: Apache-2.0
// From a legacy Policy, or the name of an algorithm provider, to the configuration that runs it.
//
// The result is complete, like that of config::Load: exactly one profile, with the plugins of every extension point in
// running order and with arguments, and extenders in calling order with their effective timeouts. It may name plugins
// of plugins/legacy. Errors are those of the release: `couldn't create scheduler from policy: ...`. Files that
// extenders name (certificates) are not opened here.
//
// Of v1.21 and v1.22 the plugins that still exist are today's. They take part in the points of the release and besides
// in those where they prepare their work today; and pods with scheduling gates wait.

#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "config/policy/policy.h"
#include "framework/configuration.h"
#include "framework/feature_gates.h"

namespace berth::config {

// What the flags and the environment of the era say beside the policy.
struct PolicyOptions {
  PolicyCompat compat = PolicyCompat::kV122;
  std::string scheduler_name = "default-scheduler";  // --scheduler-name.
  int32_t hard_pod_affinity_weight = 1;              // --hard-pod-affinity-symmetric-weight.
  std::optional<int32_t> max_pd_volumes;             // KUBE_MAX_PD_VOLS, if it is a positive number.
  // Called for each extender, to find out whether its certificates are of use. May be empty.
  std::function<Result<void>(const framework::ExtenderConfiguration&)> check_extender = {};
};

Result<framework::SchedulerConfiguration> FromPolicy(const Policy& policy, const PolicyOptions& options,
                                                     const framework::FeatureGates& gates);

// `name` is DefaultProvider or ClusterAutoscalerProvider. v1.22 had no providers any more: those of v1.21 are meant.
Result<framework::SchedulerConfiguration> FromProvider(std::string_view name, const PolicyOptions& options,
                                                       const framework::FeatureGates& gates);

}  // namespace berth::config
