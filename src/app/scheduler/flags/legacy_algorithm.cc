// SPDX-License-Identifier: Apache-2.0
#include "app/scheduler/flags/legacy_algorithm.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <filesystem>
#include <iterator>
#include <utility>

#include "api/document/field_error.h"
#include "app/scheduler/flags/options.h"
#include "config/policy/policy.h"
#include "plugins/legacy/volume_count_limits.h"
#include "plugins/volume_binding/volume_binding.h"
#include "runtime/files.h"
#include "telemetry/log.h"

namespace berth::scheduler_app {
namespace {

using framework::SchedulerConfiguration;

constexpr const char* kVolumeLimitVariable = "KUBE_MAX_PD_VOLS";

// The plugins that count volumes of one cloud, by the names of v1.21 and v1.22 and by those of v1.16.
constexpr std::string_view kVolumeLimitPlugins[] = {
    "AzureDiskLimits",         "CinderLimits",         "EBSLimits",         "GCEPDLimits",
    "MaxAzureDiskVolumeCount", "MaxCinderVolumeCount", "MaxEBSVolumeCount", "MaxGCEPDVolumeCount",
};

// A number that makes no sense is logged and does not count.
std::optional<int32_t> VolumeLimitOfEnvironment() {
  const char* variable = std::getenv(kVolumeLimitVariable);  // NOLINT(concurrency-mt-unsafe): nothing changes it.
  if (variable == nullptr || *variable == '\0') return {};
  const std::string_view text = variable;
  int32_t limit = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), limit);
  if (error == std::errc() && end == text.data() + text.size() && limit > 0) return limit;
  telemetry::LogError("Maximum PD volumes must be a positive value, using default", "variable", kVolumeLimitVariable,
                      "value", text);
  return {};
}

void ApplyVolumeLimit(framework::ProfileConfiguration& profile) {
  const std::optional<int32_t> limit = VolumeLimitOfEnvironment();
  if (!limit) return;
  for (const framework::PluginReference& plugin : profile.plugins[framework::ExtensionPoint::kFilter].enabled) {
    if (std::ranges::find(kVolumeLimitPlugins, plugin.name) == std::end(kVolumeLimitPlugins)) continue;
    std::erase_if(profile.plugin_config,
                  [&](const framework::PluginConfig& entry) { return entry.name == plugin.name; });
    profile.plugin_config.push_back({plugin.name, plugins::legacy::VolumeCountLimits::Args{limit}});
  }
  std::ranges::sort(profile.plugin_config, {}, &framework::PluginConfig::name);
}

void ApplyRest(const LegacyAlgorithm& legacy, framework::ProfileConfiguration& profile) {
  if (legacy.disable_preemption) profile.plugins[framework::ExtensionPoint::kPostFilter].enabled.clear();
  if (!legacy.bind_timeout_seconds) return;
  for (framework::PluginConfig& entry : profile.plugin_config) {
    auto* args = entry.args.As<plugins::VolumeBinding::Args>();
    if (args != nullptr) args->bind_timeout_seconds = *legacy.bind_timeout_seconds;
  }
}

// `made` has what an algorithm decides; the rest of the configuration stays.
void TakeOver(SchedulerConfiguration made, Options& options) {
  SchedulerConfiguration& configuration = options.configuration;
  for (framework::ProfileConfiguration& profile : made.profiles) {
    ApplyVolumeLimit(profile);
    ApplyRest(options.legacy, profile);
  }
  configuration.profiles = std::move(made.profiles);
  configuration.extenders = std::move(made.extenders);
  configuration.extender_score_scale = made.extender_score_scale;
  configuration.pod_max_in_unschedulable = options.legacy.max_in_unschedulable.value_or(made.pod_max_in_unschedulable);
}

Result<std::string> ReadPolicyFile(const std::string& path) {
  std::error_code error;
  if (!std::filesystem::exists(path, error)) return Invalid("missing policy config file " + path);
  Result<std::string> text = runtime::ReadFile(path);
  if (!text) return Invalid("couldn't read policy config: " + text.error().message);
  return text;
}

}  // namespace

std::vector<std::string> ValidateLegacyFlags(const LegacyFlags& flags) {
  std::vector<std::string> errors;
  if (flags.use_legacy_policy_config && flags.policy_config_file.empty()) {
    errors.emplace_back("policyConfigFile: Required value: required when --use-legacy-policy-config is true");
  }
  if (flags.hard_pod_affinity_weight < 0 || flags.hard_pod_affinity_weight > 100) {
    errors.push_back(fmt::format("hardPodAffinitySymmetricWeight: Invalid value: {}: not in valid range [0-100]",
                                 flags.hard_pod_affinity_weight));
  }
  if (flags.port < 0 || flags.port > 65535) {
    errors.push_back(fmt::format(
        "--port {} must be between 0 and 65535, inclusive. 0 for turning off insecure (HTTP) port", flags.port));
  }
  if (!flags.log_to_stderr || !flags.log_dir.empty() || !flags.log_file.empty()) {
    errors.emplace_back(
        "--logtostderr=false, --log-dir and --log-file were removed in v1.26: the log goes to standard error, which "
        "can be redirected");
  }
  return errors;
}

config::AlgorithmSource SourceOf(const LegacyFlags& flags) {
  const bool has_map = !flags.policy_config_map.empty();
  if (flags.use_legacy_policy_config || (!flags.policy_config_file.empty() && !has_map)) {
    return config::PolicyFile{flags.policy_config_file};
  }
  const std::string& ns = flags.policy_config_map_namespace;
  if (has_map) return config::PolicyConfigMap{ns.empty() ? "kube-system" : ns, flags.policy_config_map};
  if (!flags.algorithm_provider.empty()) return config::AlgorithmProvider{flags.algorithm_provider};
  return {};
}

Result<void> ApplyLegacyAlgorithm(Options& options) {
  const config::AlgorithmSource& source = options.legacy.source;
  if (const auto* file = std::get_if<config::PolicyFile>(&source)) {
    return ApplyPolicy(BERTH_TRY(ReadPolicyFile(file->path)), options);
  }
  if (const auto* provider = std::get_if<config::AlgorithmProvider>(&source)) {
    TakeOver(BERTH_TRY(config::FromProvider(provider->name, options.legacy.policy, options.gates)), options);
  }
  return {};
}

Result<void> ApplyPolicy(std::string_view text, Options& options) {
  const config::PolicyOptions& how = options.legacy.policy;
  const config::Policy policy = BERTH_TRY(config::DecodePolicy(text, how.compat));
  TakeOver(BERTH_TRY(config::FromPolicy(policy, how, options.gates)), options);
  return {};
}

}  // namespace berth::scheduler_app
