// SPDX-License-Identifier: Apache-2.0
// What commands are told of the scheduler whose decisions they make.

#pragma once

#include <string>

#include "base/result.h"
#include "framework/configuration.h"
#include "framework/feature_gates.h"
#include "framework/registry.h"

namespace berth::app {

// The KubeSchedulerConfiguration of a file; an empty path: the defaults. Unless they are called, extenders are an
// error.
Result<framework::SchedulerConfiguration> LoadConfiguration(const std::string& path,
                                                            const framework::FeatureGates& gates,
                                                            const framework::Registry& plugins, bool calls_extenders);

}  // namespace berth::app
