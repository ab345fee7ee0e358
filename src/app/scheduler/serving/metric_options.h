// SPDX-License-Identifier: Apache-2.0
// What the metrics flags ask of a registry.

#pragma once

#include "app/scheduler/flags/options.h"
#include "base/result.h"
#include "telemetry/registry.h"

namespace berth::scheduler_app {

// Reads the manifest of allowed label values, if one is named; the flag wins over it.
Result<telemetry::Registry::Options> RegistryOptionsFor(const MetricsOptions& options);

}  // namespace berth::scheduler_app
