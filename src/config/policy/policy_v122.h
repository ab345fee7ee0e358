// SPDX-License-Identifier: Apache-2.0
// What v1.22 and v1.21 make of a policy, to the letter.
//
// The plugins stand exactly at the extension points of the era, under the era's names. Today's plugins of the same name
// may need more points to work; FromPolicy (policy/from_policy.h) adds them.

#pragma once

#include "base/result.h"
#include "config/policy/from_policy.h"

namespace berth::config {

// REQUIRES: options.compat is v1.21 or v1.22.
Result<framework::SchedulerConfiguration> TranslatePolicy(const Policy& policy, const PolicyOptions& options,
                                                          const framework::FeatureGates& gates);

// The algorithm providers of v1.21.
Result<framework::SchedulerConfiguration> TranslateProvider(std::string_view name, const PolicyOptions& options,
                                                            const framework::FeatureGates& gates);

}  // namespace berth::config
