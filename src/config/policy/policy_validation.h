// SPDX-License-Identifier: Apache-2.0
// What v1.21 and v1.22 find wrong with a policy and with the arguments that come of it, in their words.

#pragma once

#include "config/policy/policy.h"
#include "framework/args/field_errors.h"

namespace berth::config {

// Weights, custom priorities, extenders and the symmetric weight; names are not looked up here.
framework::FieldErrors ValidatePolicy(const Policy& policy, PolicyCompat compat);

// `exactly 1 predicate argument is required ...` and the same for priorities.
Result<void> CheckArgumentCount(const PolicyPredicate& predicate);
Result<void> CheckArgumentCount(const PolicyPriority& priority);

}  // namespace berth::config
