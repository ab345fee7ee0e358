// SPDX-License-Identifier: Apache-2.0
// LegacyAlgorithm: a Policy or an algorithm provider that takes the place of the profiles, as set-ups of v1.16 to v1.22
// asked for it.
//
// It comes from the flags of the era or from a configuration file of v1alpha1. Which flags win over which, and what
// they mean beside --config, is as it was in the release that --policy-compat names.

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/time.h"
#include "config/algorithm_source.h"
#include "config/policy/from_policy.h"

namespace berth::scheduler_app {

struct Options;

// The flags that v1.37 does not have any more.
struct LegacyFlags {
  std::string policy_config_file;
  std::string policy_config_map;
  std::string policy_config_map_namespace = "kube-system";
  bool use_legacy_policy_config = false;
  std::string algorithm_provider;
  config::PolicyCompat policy_compat = config::PolicyCompat::kV122;
  std::string scheduler_name = "default-scheduler";
  int32_t hard_pod_affinity_weight = 1;
  std::string lock_object_namespace = "kube-system";
  std::string lock_object_name = "kube-scheduler";
  std::string address = "0.0.0.0";
  int64_t port = 0;
  bool log_to_stderr = true;
  bool also_log_to_stderr = false;
  std::string log_dir;
  std::string log_file;
};

struct LegacyAlgorithm {
  config::AlgorithmSource source;
  config::PolicyOptions policy;
  bool disable_preemption = false;
  std::optional<int64_t> bind_timeout_seconds;
  std::optional<Duration> max_in_unschedulable;  // Given by a flag, which wins over the release's.

  bool in_force() const { return !std::holds_alternative<std::monostate>(source); }
};

// What can be said against the flags alone.
std::vector<std::string> ValidateLegacyFlags(const LegacyFlags& flags);

// REQUIRES: the flags are valid.
config::AlgorithmSource SourceOf(const LegacyFlags& flags);

// Puts what a policy file or a provider says in place of the profiles and extenders of `options`. For a policy in a
// ConfigMap nothing is done yet. KUBE_MAX_PD_VOLS counts for the volume limits of a policy, as it did.
Result<void> ApplyLegacyAlgorithm(Options& options);

// The same with the text of the policy.
Result<void> ApplyPolicy(std::string_view text, Options& options);

}  // namespace berth::scheduler_app
