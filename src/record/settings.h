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
#include "framework/configuration.h"
#include "framework/feature_gates.h"
#include "scheduler/core.h"

namespace berth::record {

struct Settings {
  framework::SchedulerConfiguration configuration;  // Complete, as config::Load and config::Default return it.
  framework::FeatureGates gates;
  std::optional<uint64_t> seed;  // Of a SeededChooser; absent: the SmallestNameChooser.
  Time start;

  bool operator==(const Settings&) const = default;
};

// Fails as Core::Create.
Result<std::unique_ptr<scheduler::Core>> MakeCore(const Settings& settings, const framework::Registry& registry);

// The settings as bytes. Private keys of extenders are left out.
std::string EncodeSettings(const Settings& settings);
// Fails if the bytes are not of that form, or name a gate, plugin or option that is not known here.
Result<Settings> DecodeSettings(std::string_view bytes, const framework::PluginPoints& points_of);

}  // namespace berth::record
