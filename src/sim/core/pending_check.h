// SPDX-License-Identifier: Apache-2.0
// What waits although it fits, in a cluster that is at rest.

#pragma once

#include <span>
#include <string>

#include "api/objects/object.h"
#include "framework/feature_gates.h"

namespace berth::sim {

// Tries each pending pod on a copy of the objects; pods of groups are left out. Returns the first that fits, or
// nothing.
std::string FindPodThatFits(std::span<const api::Object> objects, const framework::FeatureGates& gates);

// The same for groups: the first of which some pods fit.
std::string FindGroupThatFits(std::span<const api::Object> objects, const framework::FeatureGates& gates);

}  // namespace berth::sim
