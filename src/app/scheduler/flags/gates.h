// SPDX-License-Identifier: Apache-2.0
// Gates: what --feature-gates asks for, at the version that is emulated.
//
// Names, stages, dependencies and texts are upstream's. A gate that only concerns other components is taken either way.
// A gate that changes what a scheduler does, and that Berth implements one way only, is known here as well; whether it
// stands where Berth can follow is a question of its own, since a configuration can be written for it either way.

#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "app/scheduler/flags/flag_bindings.h"
#include "app/scheduler/flags/versions.h"
#include "base/result.h"
#include "framework/feature_gates.h"
#include "telemetry/process_metrics.h"

namespace berth::scheduler_app {

struct GateSettings {
  framework::FeatureGates scheduler;         // Those the scheduler consults.
  std::map<std::string, bool> overrides;     // As given.
  std::map<std::string_view, bool> enabled;  // All that exist at the emulated version.
  std::vector<std::string> settled;          // Given, though stable or deprecated: they will be removed.

  bool Enabled(std::string_view gate) const;
};

Result<GateSettings> ResolveGates(const GatesByComponent& given, const EffectiveVersion& version);
// The same for values of --feature-gates, at this version. Fails, too, if one asks for something that Berth does not
// do.
Result<GateSettings> ResolveGateFlags(const std::vector<std::string>& values);

// Fails when a gate asks for something that Berth does not do.
Result<void> CheckImplemented(const GateSettings& settings);

// Every gate that exists at the emulated version, for the metric about them.
std::vector<telemetry::FeatureState> FeatureStates(const GateSettings& settings, const EffectiveVersion& version);

// The lines of the help text: `kube:Name=true|false (ALPHA - default=false)`.
std::vector<std::string> GateHelp();

}  // namespace berth::scheduler_app
