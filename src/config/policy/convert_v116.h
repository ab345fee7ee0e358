// SPDX-License-Identifier: Apache-2.0
// The algorithm of a v1.16 policy in the words of v1.22, as far as those reach.

#pragma once

#include <vector>

#include "config/policy/convert_policy.h"
#include "config/policy/policy_algorithm_v116.h"

namespace berth::config {

// Predicates that v1.16 never evaluates are left out; what v1.22 does differently, or not at all, is noted.
Policy Modernize(const AlgorithmV116& algorithm, std::vector<ConversionNote>& notes);

}  // namespace berth::config
