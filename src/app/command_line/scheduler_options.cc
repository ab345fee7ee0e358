// SPDX-License-Identifier: Apache-2.0
#include "app/command_line/scheduler_options.h"

#include <fmt/format.h>

#include <map>
#include <string_view>

#include "config/config.h"
#include "runtime/files.h"
#include "runtime/with_file.h"

namespace berth::app {

Result<framework::FeatureGates> ParseGates(const std::vector<std::string>& pairs) {
  std::map<std::string, bool> overrides;
  for (const std::string& pair : pairs) {
    const size_t equals = pair.find('=');
    const std::string value = equals == pair.npos ? "" : pair.substr(equals + 1);
    if (value != "true" && value != "false") {
      return Invalid(fmt::format("--feature-gates: \"{}\" is not of the form Name=true or Name=false", pair));
    }
    overrides[pair.substr(0, equals)] = value == "true";
  }
  Result<framework::FeatureGates> gates = framework::FeatureGates::Create(overrides);
  if (!gates) return Invalid("--feature-gates: " + gates.error().message);
  return gates;
}

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
