// SPDX-License-Identifier: Apache-2.0
#include "app/command_line/scheduler_options.h"

#include <string_view>

#include "config/config.h"
#include "runtime/files.h"
#include "runtime/with_file.h"

namespace berth::app {

Result<framework::SchedulerConfiguration> LoadConfiguration(const std::string& path,
                                                            const framework::FeatureGates& gates,
                                                            const framework::Registry& plugins, bool calls_extenders) {
  if (path.empty()) return config::Default(gates);
  const std::string text = BERTH_TRY(runtime::ReadFile(path));
  Result<framework::SchedulerConfiguration> loaded = config::Load(text, gates, plugins);
  if (!loaded) return Invalid(runtime::WithFile(path, loaded.error().message));
  if (!loaded->extenders.empty() && !calls_extenders) {
    constexpr std::string_view kWhy = "has extenders: --call-extenders calls them; leave them out to see the rest";
    return Invalid(runtime::WithFile(path, kWhy));
  }
  return loaded;
}

}  // namespace berth::app
