// SPDX-License-Identifier: Apache-2.0
#include "base/assert.h"
#include "config/complete.h"
#include "config/config.h"
#include "config/decode.h"
#include "config/defaults.h"
#include "config/validate.h"

namespace berth::config {

using framework::SchedulerConfiguration;

Result<SchedulerConfiguration> Load(std::string_view yaml_or_json, const framework::FeatureGates& gates,
                                    const framework::Registry& registry, const Adjustment& adjust) {
  SchedulerConfiguration configuration = BERTH_TRY(DecodeConfiguration(yaml_or_json, registry));
  ApplyDefaults(configuration, gates, registry);
  if (adjust) adjust(configuration);
  if (std::optional<Error> error = Validate(configuration, gates).Join()) return std::unexpected(std::move(*error));
  BERTH_CHECK_OK(CompleteExtenders(configuration));
  BERTH_CHECK_OK(CompleteProfiles(configuration, gates, registry));
  return configuration;
}

SchedulerConfiguration Default(const framework::FeatureGates& gates) {
  SchedulerConfiguration configuration;
  configuration.profiles.emplace_back().scheduler_name = "default-scheduler";
  ApplyDefaults(configuration, gates, plugins::BuiltIn());
  const Result<void> completed = CompleteProfiles(configuration, gates, plugins::BuiltIn());
  BERTH_ASSERT(completed.has_value());
  return configuration;
}

}  // namespace berth::config
