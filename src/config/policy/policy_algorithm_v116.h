// SPDX-License-Identifier: Apache-2.0
// AlgorithmV116: the predicates, priorities and extenders that v1.16 builds from a policy or a provider.
//
// v1.16 registers what a policy lists under the names it gives, one entry after the other: an entry with an argument
// replaces what had the name before, be it a built-in predicate, and one without an argument takes what is there. Where
// v1.16 logs a fatal error and exits (with status 255), the error has that text and code kInternal; other errors have
// code kInvalid and begin with `couldn't create scheduler`. Feature gates are at their defaults of v1.16, so the
// predicates about node conditions do not exist.

#pragma once

#include <string_view>
#include <vector>

#include "base/result.h"
#include "config/policy/from_policy.h"

namespace berth::config {

struct AlgorithmV116 {
  std::vector<PolicyPredicate> predicates;  // Sorted by name. Those with an argument are not built-in ones.
  std::vector<PolicyPriority> priorities;   // Likewise.
  std::vector<framework::ExtenderConfiguration> extenders;  // In calling order, with effective timeouts.
  int32_t hard_pod_affinity_weight = 1;
  bool always_check_all_predicates = false;
};

Result<AlgorithmV116> AlgorithmOfPolicyV116(const Policy& policy, const PolicyOptions& options);
Result<AlgorithmV116> AlgorithmOfProviderV116(std::string_view name, const PolicyOptions& options);

// The names in the order in which v1.16 evaluates predicates. It evaluates no other, although a policy can have them.
std::span<const std::string_view> PredicateOrderV116();

}  // namespace berth::config
