// SPDX-License-Identifier: Apache-2.0
// The entries of a policy that no plugin of today stands for.

#pragma once

#include <vector>

#include "config/policy/convert_policy.h"

namespace berth::config {

// Takes out of `policy` what has no equivalent, with a note for each. REQUIRES: the policy lists its predicates and
// priorities, and v1.21 or v1.22 accepts them.
void LeaveOutForeignEntries(Policy& policy, std::vector<ConversionNote>& notes);

}  // namespace berth::config
