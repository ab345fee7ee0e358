// SPDX-License-Identifier: Apache-2.0
// Plugin expansion: from the plugin sets of a profile to the ordered list of plugins per extension point.
//
// Plugins enabled through multiPoint take part in every point they implement, unless the point disables them. At a
// point come first the plugins that the point itself lists and multiPoint has too, in the point's order, then the rest
// of multiPoint in its order, then the point's other plugins.

#pragma once

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "framework/configuration.h"
#include "framework/extension_points.h"
#include "framework/registry.h"

namespace berth::framework {

struct ExpandedPlugin {
  std::string name;
  int32_t weight = 0;  // Of score and placementScore; 0 at the other points.

  bool operator==(const ExpandedPlugin&) const = default;
};

struct ExpandedPlugins {
  std::array<std::vector<ExpandedPlugin>, kExtensionPointCount> points;

  const std::vector<ExpandedPlugin>& operator[](ExtensionPoint point) const {
    return points[static_cast<size_t>(point)];
  }

  bool operator==(const ExpandedPlugins&) const = default;
};

// Names of all plugins that `plugins` enables somewhere, sorted.
std::vector<std::string> EnabledPluginNames(const Plugins& plugins);
// Whether some profile has the plugin.
bool Enables(const SchedulerConfiguration& configuration, std::string_view plugin);

// Fails with upstream's text: a plugin that does not exist, does not implement its point or is enabled twice; not
// exactly one queueSort plugin, no bind plugin, several placementGenerate plugins, weights that could overflow the
// total score.
Result<ExpandedPlugins> ExpandPlugins(const Plugins& plugins, std::string_view scheduler_name,
                                      const Registry& registry);

}  // namespace berth::framework
