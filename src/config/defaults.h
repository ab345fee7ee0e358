// SPDX-License-Identifier: Apache-2.0
// Defaults: fills in what a decoded configuration leaves open.

#pragma once

#include "framework/configuration.h"
#include "framework/feature_gates.h"
#include "framework/registry.h"

namespace berth::config {

// Empty texts and zero numbers of leader election and client connection count as not given. Each profile gets the
// default plugins merged with its own, and typed arguments for every enabled plugin that takes some.
void ApplyDefaults(framework::SchedulerConfiguration& configuration, const framework::FeatureGates& gates,
                   const framework::Registry& registry);

// The default plugins, all in multiPoint.
framework::Plugins DefaultPlugins(const framework::FeatureGates& gates, const framework::Registry& registry);

// Merges a profile's plugins into the default ones: what it disables goes, what it enables again is replaced in place,
// and the rest of what it enables comes behind.
framework::PluginSet MergePluginSet(const framework::PluginSet& defaults, const framework::PluginSet& custom);

// The arguments a plugin gets when it is given none; nothing for a plugin that takes none.
framework::PluginArgs DefaultArgs(std::string_view plugin, const framework::FeatureGates& gates,
                                  const framework::Registry& registry);

}  // namespace berth::config
