// SPDX-License-Identifier: Apache-2.0
// What v1.16 finds wrong with a policy before it looks its names up, in its words.

#pragma once

#include <span>
#include <string>

#include "base/result.h"
#include "config/policy/policy.h"

namespace berth::config {

inline constexpr int64_t kMaxPriorityV116 = 10;

// Weights and extenders; all errors at once.
Result<void> ValidatePolicyV116(const Policy& policy);

// What is wrong with the shape of a requestedToCapacityRatioArguments; empty if nothing is.
std::string ShapeErrorV116(std::span<const PolicyShapePoint> shape);

}  // namespace berth::config
