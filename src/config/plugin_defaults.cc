// SPDX-License-Identifier: Apache-2.0
#include <map>
#include <set>

#include "config/defaults.h"

namespace berth::config {

using framework::PluginReference;
using framework::PluginSet;

framework::Plugins DefaultPlugins(const framework::FeatureGates& gates, const framework::Registry& registry) {
  framework::Plugins plugins;
  for (const framework::PluginRow& row : registry.rows()) {
    const bool is_on = row.use && (!row.use->gate || gates.Enabled(*row.use->gate));
    if (is_on) plugins.multi_point.enabled.push_back({row.name, row.use->weight});
  }
  return plugins;
}

PluginSet MergePluginSet(const PluginSet& defaults, const PluginSet& custom) {
  PluginSet merged;
  std::set<std::string_view> disabled;
  for (const PluginReference& plugin : custom.disabled) {
    merged.disabled.push_back({plugin.name});
    disabled.insert(plugin.name);
  }

  std::map<std::string_view, size_t> custom_index;  // Of equal names the last.
  for (size_t i = 0; i < custom.enabled.size(); ++i) custom_index[custom.enabled[i].name] = i;
  std::set<size_t> replaced;
  for (const PluginReference& plugin : defaults.enabled) {
    if (disabled.contains("*") || disabled.contains(plugin.name)) continue;
    const auto own = custom_index.find(plugin.name);
    if (own == custom_index.end()) {
      merged.enabled.push_back(plugin);
    } else {
      merged.enabled.push_back(custom.enabled[own->second]);
      replaced.insert(own->second);
    }
  }
  // A plugin enabled twice stays twice: building the profile reports it.
  for (size_t i = 0; i < custom.enabled.size(); ++i) {
    if (!replaced.contains(i)) merged.enabled.push_back(custom.enabled[i]);
  }
  return merged;
}

}  // namespace berth::config
