// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "config/validate.h"

namespace berth::config {

using framework::ExtensionPoint;
using framework::FieldErrors;
using framework::Index;
using framework::PluginArgs;

void ValidateCommonQueueSort(const std::vector<framework::ProfileConfiguration>& profiles, FieldErrors& errors) {
  const framework::ProfileConfiguration& first = profiles.front();
  const framework::PluginSet& canon = first.plugins[ExtensionPoint::kQueueSort];
  const std::string name = canon.enabled.empty() ? "" : canon.enabled.front().name;
  if (canon.enabled.size() > 1) {
    errors.Invalid("profiles[0].plugins.queueSort.Enabled", static_cast<int64_t>(canon.enabled.size()),
                   "only one queue sort plugin can be enabled");
  }
  PluginArgs args;
  for (const framework::PluginConfig& entry : first.plugin_config) {
    if (!name.empty() && entry.name == name) args = entry.args;
  }

  for (size_t i = 1; i < profiles.size(); ++i) {
    const std::string path = Index("profiles", i);
    const framework::PluginSet& queue_sort = profiles[i].plugins[ExtensionPoint::kQueueSort];
    if (queue_sort != canon) {
      errors.Invalid(path + ".plugins.queueSort", framework::InternalJson(queue_sort),
                     "must be the same for all profiles");
    }
    for (const framework::PluginConfig& entry : profiles[i].plugin_config) {
      if (entry.name == name && entry.args != args) {
        errors.Invalid(path + ".pluginConfig.args", entry.args.Json(framework::JsonForm::kInternal),
                       "queueSort must be the same for all profiles");
      }
    }
  }
}

}  // namespace berth::config
