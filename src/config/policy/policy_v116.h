// SPDX-License-Identifier: Apache-2.0
// What v1.16 makes of a policy: one plugin per predicate and priority, see plugins/legacy/v116.
//
// The errors are those of policy_algorithm_v116.h. Predicates that v1.16 does not evaluate, because their name is not
// one of its order, have no plugin.

#pragma once

#include <string_view>

#include "base/result.h"
#include "config/policy/from_policy.h"

namespace berth::config {

Result<framework::SchedulerConfiguration> FromPolicyV116(const Policy& policy, const PolicyOptions& options,
                                                         const framework::FeatureGates& gates);
Result<framework::SchedulerConfiguration> FromProviderV116(std::string_view name, const PolicyOptions& options,
                                                           const framework::FeatureGates& gates);

}  // namespace berth::config
