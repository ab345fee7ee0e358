// SPDX-License-Identifier: Apache-2.0
#include "record/settings.h"

#include <map>
#include <utility>
#include <vector>

#include "base/url.h"
#include "config/decode.h"
#include "framework/chooser.h"
#include "plugins/legacy/registry.h"
#include "plugins/legacy/v116/registry.h"
#include "record/fields.h"

namespace berth::record {

// The profiles of a legacy Policy, which a configuration file cannot say, with the release whose policy they come from.
struct LegacyProfiles {
  config::PolicyCompat release = config::PolicyCompat::kV122;
  std::vector<framework::ProfileConfiguration> profiles;
};

template <>
inline constexpr config::PolicyCompat kLast<config::PolicyCompat> = config::PolicyCompat::kV122;

BERTH_FIELDS(framework::PluginReference, name, weight)
BERTH_FIELDS(framework::PluginSet, enabled, disabled)
template <class Archive>
void Fields(Archive& archive, Subject<Archive, framework::Plugins>& plugins) {
  archive(plugins.multi_point);
  for (auto& set : plugins.points) archive(set);
}
// Arguments are JSON, as in a file. Whoever reads them decodes them later.
template <class Archive>
void Fields(Archive& archive, Subject<Archive, framework::PluginConfig>& config) {
  std::string args = config.args.Json();
  archive(config.name, args);
  if constexpr (Archive::kReads) config.args = framework::OpaqueArgs{std::move(args)};
}
BERTH_FIELDS(framework::ProfileConfiguration, scheduler_name, percentage, plugins, plugin_config, run_all_filters)
BERTH_FIELDS(LegacyProfiles, release, profiles)

namespace {

// A configuration in the form that is written.
struct WrittenConfiguration {
  std::string json;
  // The JSON does not tell an absent percentageOfNodesToScore from 0.
  std::optional<int32_t> percentage_of_nodes_to_score;
  std::vector<std::optional<int32_t>> profile_percentages;
  int64_t max_in_unschedulable_nanos = 0;
  int64_t extender_score_scale = 0;
};

// The settings.
struct Written {
  WrittenConfiguration configuration;
  std::optional<LegacyProfiles> legacy;             // In place of those in the JSON.
  std::vector<std::pair<std::string, bool>> gates;  // All of them, so that other defaults do not change a replay.
  std::optional<uint64_t> seed;
  Time start;
};

template <class Archive>
void WalkConfiguration(Archive& archive, Subject<Archive, WrittenConfiguration>& written) {
  auto& [json, percentage, profile_percentages, max_in_unschedulable, extender_score_scale] = written;
  archive(json, percentage, profile_percentages, max_in_unschedulable, extender_score_scale);
}

template <class Archive>
void Walk(Archive& archive, Subject<Archive, Written>& written) {
  WalkConfiguration(archive, written.configuration);
  archive(written.legacy, written.gates, written.seed, written.start);
}

// Secrets are left out: nobody needs them again.
WrittenConfiguration Write(framework::SchedulerConfiguration configuration) {
  WrittenConfiguration written;
  written.percentage_of_nodes_to_score = configuration.percentage_of_nodes_to_score;
  for (const framework::ProfileConfiguration& profile : configuration.profiles) {
    written.profile_percentages.push_back(profile.percentage_of_nodes_to_score);
  }
  written.max_in_unschedulable_nanos = configuration.pod_max_in_unschedulable.nanos;
  written.extender_score_scale = configuration.extender_score_scale;
  for (framework::ExtenderConfiguration& extender : configuration.extenders) {
    if (extender.tls_config) extender.tls_config->key_data.clear();
    extender.url_prefix = WithoutPassword(extender.url_prefix);
  }
  written.json = config::ToJson(configuration);
  return written;
}

Result<framework::SchedulerConfiguration> Read(const WrittenConfiguration& written,
                                               const framework::FeatureGates& gates,
                                               const framework::Registry& registry) {
  framework::SchedulerConfiguration configuration = BERTH_TRY(config::Load(written.json, gates, registry));
  if (configuration.profiles.size() != written.profile_percentages.size()) {
    return Invalid("the percentages are not those of the profiles");
  }
  configuration.percentage_of_nodes_to_score = written.percentage_of_nodes_to_score;
  for (size_t i = 0; i < written.profile_percentages.size(); ++i) {
    configuration.profiles[i].percentage_of_nodes_to_score = written.profile_percentages[i];
  }
  configuration.pod_max_in_unschedulable = Duration{written.max_in_unschedulable_nanos};
  configuration.extender_score_scale = written.extender_score_scale;
  return configuration;
}

void AddPluginsOf(config::PolicyCompat release, framework::Registry& registry) {
  using plugins::legacy::Release;
  switch (release) {
    case config::PolicyCompat::kV116: return plugins::RegisterV116Plugins(registry);
    case config::PolicyCompat::kV121: return plugins::RegisterLegacyPlugins(registry, Release::kV121);
    case config::PolicyCompat::kV122: return plugins::RegisterLegacyPlugins(registry, Release::kV122);
  }
}

// Gives arguments that were read as JSON the types of their plugins.
Result<void> DecodeArgs(const framework::Registry& registry, framework::ProfileConfiguration& profile) {
  for (framework::PluginConfig& entry : profile.plugin_config) {
    const api::Document document = BERTH_TRY(api::ParseJson(entry.args.As<framework::OpaqueArgs>()->json));
    std::vector<std::string> strict_errors;
    entry.args = BERTH_TRY(
        config::DecodeArgs(entry.name, document.root(), framework::SourceFormat::kJson, registry, strict_errors));
    if (!strict_errors.empty()) return Invalid(strict_errors.front());
  }
  return {};
}

}  // namespace

Result<std::unique_ptr<scheduler::Core>> MakeCore(const Settings& settings, framework::Registry registry) {
  if (settings.policy_release) AddPluginsOf(*settings.policy_release, registry);
  std::unique_ptr<framework::Chooser> chooser = std::make_unique<framework::SmallestNameChooser>();
  if (settings.seed) chooser = std::make_unique<framework::SeededChooser>(*settings.seed);
  return scheduler::Core::Create(settings.configuration, registry, settings.gates, std::move(chooser), settings.start);
}

std::string EncodeConfiguration(const framework::SchedulerConfiguration& configuration) {
  Encoder archive;
  WalkConfiguration(archive, Write(configuration));
  return archive.Take();
}

Result<framework::SchedulerConfiguration> DecodeConfiguration(std::string_view bytes,
                                                              const framework::FeatureGates& gates,
                                                              const framework::Registry& registry) {
  WrittenConfiguration written;
  Decoder archive(bytes);
  WalkConfiguration(archive, written);
  archive.Finish();
  if (!archive.ok()) return Invalid(archive.problem());
  return Read(written, gates, registry);
}

void Encoder::Put(const std::shared_ptr<const framework::SchedulerConfiguration>& configuration) {
  Put(EncodeConfiguration(*configuration));
}

void Decoder::Get(std::shared_ptr<const framework::SchedulerConfiguration>& configuration) {
  std::string bytes;
  Get(bytes);
  if (!ok()) return;
  if (!read_configuration_) return Fail("there is no configuration here");
  Result<framework::SchedulerConfiguration> read = read_configuration_(bytes);
  if (!read) return Fail(read.error().message);
  configuration = std::make_shared<const framework::SchedulerConfiguration>(*std::move(read));
}

std::string EncodeSettings(const Settings& settings) {
  Written written;
  written.configuration = Write(settings.configuration);
  if (settings.policy_release) {
    // The JSON cannot say the profiles of a policy.
    framework::SchedulerConfiguration configuration = settings.configuration;
    configuration.profiles = config::Default(settings.gates).profiles;
    written.configuration.json = Write(std::move(configuration)).json;
    written.legacy = LegacyProfiles{*settings.policy_release, settings.configuration.profiles};
  }
  for (const framework::GateSpec& spec : framework::GateSpecs()) {
    written.gates.emplace_back(spec.name, settings.gates.Enabled(spec.gate));
  }
  written.seed = settings.seed;
  written.start = settings.start;
  Encoder archive;
  Walk(archive, std::as_const(written));
  return archive.Take();
}

Result<Settings> DecodeSettings(std::string_view bytes, const framework::Registry& registry) {
  Written written;
  Decoder archive(bytes);
  Walk(archive, written);
  archive.Finish();
  if (!archive.ok()) return Invalid(archive.problem());

  Settings settings;
  settings.gates = BERTH_TRY(
      framework::FeatureGates::Create(std::map<std::string, bool>(written.gates.begin(), written.gates.end())));
  settings.configuration = BERTH_TRY(Read(written.configuration, settings.gates, registry));
  if (written.legacy) {
    settings.policy_release = written.legacy->release;
    framework::Registry with_legacy = registry;
    AddPluginsOf(*settings.policy_release, with_legacy);
    for (framework::ProfileConfiguration& profile : written.legacy->profiles) {
      BERTH_CHECK_OK(DecodeArgs(with_legacy, profile));
    }
    settings.configuration.profiles = std::move(written.legacy->profiles);
  }
  settings.seed = written.seed;
  settings.start = written.start;
  return settings;
}

}  // namespace berth::record
