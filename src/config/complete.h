// SPDX-License-Identifier: Apache-2.0
// Completion: the checks and changes that upstream makes while it builds extenders and profiles from a valid
// configuration.

#pragma once

#include "base/result.h"
#include "framework/configuration.h"
#include "framework/feature_gates.h"
#include "framework/registry.h"

namespace berth::config {

// Sets the default timeout of extenders, and hands the resources they manage alone to NodeResourcesFit.
Result<void> CompleteExtenders(framework::SchedulerConfiguration& configuration);

// Checks that each profile can be built, and reduces its plugin configuration to the plugins it enables, sorted by
// name.
Result<void> CompleteProfiles(framework::SchedulerConfiguration& configuration, const framework::FeatureGates& gates,
                              const framework::Registry& registry);

}  // namespace berth::config
