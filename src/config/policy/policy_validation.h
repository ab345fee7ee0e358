// SPDX-License-Identifier: Apache-2.0
// What v1.21 and v1.22 find wrong with a policy and with the arguments that come of it, in their words.

#pragma once

#include "config/field_errors.h"
#include "config/policy/policy.h"
#include "framework/plugin_args.h"

namespace berth::config {

// Weights, custom priorities, extenders and the symmetric weight; names are not looked up here.
FieldErrors ValidatePolicy(const Policy& policy, PolicyCompat compat);

// `exactly 1 predicate argument is required ...` and the same for priorities.
Result<void> CheckArgumentCount(const PolicyPredicate& predicate);
Result<void> CheckArgumentCount(const PolicyPriority& priority);

// What the plugins themselves say to their arguments.
FieldErrors ValidateLegacyArgs(const framework::NodeLabelArgs& args);
FieldErrors ValidateLegacyArgs(const framework::RequestedToCapacityRatioArgs& args);

}  // namespace berth::config
