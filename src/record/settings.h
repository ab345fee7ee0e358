// SPDX-License-Identifier: Apache-2.0
// Settings: what a core is made of, so that a log can say it and a replay can make the same core again.

#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "base/time.h"
#include "config/config.h"
#include "config/policy/policy.h"
#include "framework/configuration.h"
#include "framework/feature_gates.h"
#include "scheduler/core.h"

namespace berth::record {

struct Settings {
  framework::SchedulerConfiguration configuration;  // Complete, as config::Load and config::Default return it.
  framework::FeatureGates gates;
  std::optional<uint64_t> seed;  // Of a SeededChooser; absent: the SmallestNameChooser.
  Time start;
  // Whose policy the profiles come from, and so whose plugins they name besides today's; absent: nobody's.
  std::optional<config::PolicyCompat> policy_release = {};

  bool operator==(const Settings&) const = default;
};

// The plugins of a policy are added to the registry. Fails as Core::Create.
Result<std::unique_ptr<scheduler::Core>> MakeCore(const Settings& settings, framework::Registry registry);

// The settings as bytes. Private keys and passwords of extenders are left out.
std::string EncodeSettings(const Settings& settings);
// Fails if the bytes are not of that form, or name a gate, plugin or option that is not known here.
Result<Settings> DecodeSettings(std::string_view bytes, const framework::Registry& registry);

// A configuration alone, in the same form; there are no profiles of a policy in it.
std::string EncodeConfiguration(const framework::SchedulerConfiguration& configuration);
Result<framework::SchedulerConfiguration> DecodeConfiguration(std::string_view bytes,
                                                              const framework::FeatureGates& gates,
                                                              const framework::Registry& registry);

}  // namespace berth::record
