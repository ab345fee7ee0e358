// SPDX-License-Identifier: Apache-2.0
#include "app/scheduler/flags/complete.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <string>
#include <utility>

#include "api/document/field_error.h"
#include "app/scheduler/flags/go_values.h"
#include "app/scheduler/flags/validate.h"
#include "base/error_counts.h"
#include "config/config.h"
#include "config/decode.h"
#include "config/legacy_configuration.h"
#include "plugins/inter_pod_affinity/inter_pod_affinity.h"
#include "runtime/files.h"
#include "telemetry/log.h"

namespace berth::scheduler_app {
namespace {

using framework::SchedulerConfiguration;

// What flags say of leader election, which wins over a file.
class ElectionFlags {
 public:
  ElectionFlags(const FlagSet& flags, const SchedulerConfiguration& given) : from_(given.leader_election) {
    for (const auto& [name, flag] : flags.ByName()) {
      if (name.starts_with("leader-elect") && flags.Changed(name)) changed_.insert(std::string(name));
    }
  }
  void Apply(SchedulerConfiguration& target) const {
    framework::LeaderElectionConfiguration& to = target.leader_election;
    if (changed_.contains("leader-elect")) to.leader_elect = from_.leader_elect;
    if (changed_.contains("leader-elect-lease-duration")) to.lease_duration = from_.lease_duration;
    if (changed_.contains("leader-elect-renew-deadline")) to.renew_deadline = from_.renew_deadline;
    if (changed_.contains("leader-elect-retry-period")) to.retry_period = from_.retry_period;
    if (changed_.contains("leader-elect-resource-lock")) to.resource_lock = from_.resource_lock;
    if (changed_.contains("leader-elect-resource-name")) to.resource_name = from_.resource_name;
    if (changed_.contains("leader-elect-resource-namespace")) to.resource_namespace = from_.resource_namespace;
  }

 private:
  framework::LeaderElectionConfiguration from_;
  std::set<std::string> changed_;
};

void ApplyDeprecated(const FlagSet& flags, const SchedulerConfiguration& given, SchedulerConfiguration& target) {
  const framework::ClientConnectionConfiguration& from = given.client_connection;
  framework::ClientConnectionConfiguration& to = target.client_connection;
  if (flags.Changed("profiling")) target.enable_profiling = given.enable_profiling;
  if (flags.Changed("contention-profiling")) target.enable_contention_profiling = given.enable_contention_profiling;
  if (flags.Changed("kubeconfig")) to.kubeconfig = from.kubeconfig;
  if (flags.Changed("kube-api-content-type")) to.content_type = from.content_type;
  if (flags.Changed("kube-api-qps")) to.qps = from.qps;
  if (flags.Changed("kube-api-burst")) to.burst = from.burst;
}

void ApplyLegacy(const FlagSet& flags, const LegacyFlags& given, SchedulerConfiguration& target) {
  if (flags.Changed("lock-object-name")) target.leader_election.resource_name = given.lock_object_name;
  if (flags.Changed("lock-object-namespace")) target.leader_election.resource_namespace = given.lock_object_namespace;
  framework::ProfileConfiguration& profile = target.profiles.front();
  if (flags.Changed("scheduler-name")) profile.scheduler_name = given.scheduler_name;
  if (!flags.Changed("hard-pod-affinity-symmetric-weight")) return;
  for (framework::PluginConfig& entry : profile.plugin_config) {
    auto* args = entry.args.As<plugins::InterPodAffinity::Args>();
    if (args != nullptr) args->hard_pod_affinity_weight = given.hard_pod_affinity_weight;
  }
}

// Without a file, the deprecated flags count.
void CompleteFromFlags(const FlagSet& flags, const FlagValues& values, Options& options) {
  options.configuration = config::Default(options.gates);
  ApplyDeprecated(flags, values.configuration, options.configuration);
  ApplyLegacy(flags, values.legacy, options.configuration);
  ElectionFlags(flags, values.configuration).Apply(options.configuration);
  options.legacy.source = SourceOf(values.legacy);
  options.legacy.policy.scheduler_name = values.legacy.scheduler_name;
  options.legacy.policy.hard_pod_affinity_weight = values.legacy.hard_pod_affinity_weight;
}

// What v1.21 and v1.22 say about a file that has profiles where flags ask for a policy. v1.22 means any that is not the
// one of a file without profiles; v1.21 only looks at plugins.
Result<void> CheckNoProfiles(std::string_view file_text, config::PolicyCompat compat,
                             const framework::Registry& plugins) {
  const SchedulerConfiguration given = BERTH_TRY(config::DecodeConfiguration(file_text, plugins));
  framework::ProfileConfiguration none;
  none.scheduler_name = "default-scheduler";
  if (compat == config::PolicyCompat::kV121) {
    none.scheduler_name = given.profiles.front().scheduler_name;
    none.percentage_of_nodes_to_score = given.profiles.front().percentage_of_nodes_to_score;
  }
  if (given.profiles.size() == 1 && given.profiles.front() == none) return {};
  return Invalid(fmt::format("{}: remove the profiles of --config, or the flags for a policy or algorithm provider",
                             compat == config::PolicyCompat::kV121
                                 ? "cannot set a Plugin config and Policy config"
                                 : "profiles and policy config both set, this should not happen"));
}

Result<void> CompleteFromFile(const FlagSet& flags, const FlagValues& values, std::string_view text, Options& options) {
  options.load_configuration = [election = ElectionFlags(flags, values.configuration), gates = options.gates,
                                plugins = options.plugins](std::string_view file_text) {
    return config::Load(file_text, gates, *plugins,
                        [&](SchedulerConfiguration& configuration) { election.Apply(configuration); });
  };
  options.configuration = BERTH_TRY(options.load_configuration(text));
  LegacyAlgorithm& legacy = options.legacy;
  legacy.source = SourceOf(values.legacy);
  if (!legacy.in_force()) return {};
  if (legacy.policy.compat == config::PolicyCompat::kV116) {
    telemetry::LogInfo(
        "Flags for a policy or an algorithm provider have no effect together with --config, as in v1.16");
    legacy.source = {};
    return {};
  }
  BERTH_CHECK_OK(CheckNoProfiles(text, legacy.policy.compat, *options.plugins));
  legacy.policy.scheduler_name = options.configuration.profiles.front().scheduler_name;
  return {};
}

// `address` is such as 0.0.0.0:10251 or [::]:10251.
Result<PlainServing> ParsePlainAddress(std::string_view address) {
  const size_t colon = address.rfind(':');
  std::string_view host = address.substr(0, colon);
  if (host.starts_with('[') && host.ends_with(']')) host = host.substr(1, host.size() - 2);
  const Result<uint64_t> port =
      colon == std::string_view::npos ? Invalid("") : ParseGoUint(address.substr(colon + 1), UINT16_MAX);
  std::string ip = "0.0.0.0";
  const Result<void> parsed = BindIp(ip).set(host);
  if (port && parsed) return PlainServing{ip, static_cast<uint16_t>(*port)};
  return Invalid(fmt::format("{} is not an IP address and a port, such as 0.0.0.0:10251", api::GoQuote(address)));
}

Result<void> CompleteFromLegacyFile(const FlagSet& flags, const FlagValues& values, std::string_view text,
                                    Options& options) {
  if (!flags.Changed("policy-compat") || values.legacy.policy_compat != config::PolicyCompat::kV116) {
    return Invalid(fmt::format("{} is read only with --policy-compat=v1.16; use {}", config::kLegacyApiVersion,
                               config::kApiVersion));
  }
  config::LegacyConfiguration loaded = BERTH_TRY(config::LoadLegacy(text, options.gates));
  options.configuration = std::move(loaded.configuration);
  ElectionFlags(flags, values.configuration).Apply(options.configuration);
  options.legacy.source = std::move(loaded.source);
  options.legacy.policy.scheduler_name = std::move(loaded.scheduler_name);
  options.legacy.policy.hard_pod_affinity_weight = loaded.hard_pod_affinity_weight;
  options.legacy.disable_preemption = loaded.disable_preemption;
  options.legacy.bind_timeout_seconds = loaded.bind_timeout_seconds;
  for (const std::string& address : loaded.plain_addresses) {
    const PlainServing plain = BERTH_TRY(ParsePlainAddress(address));
    if (plain.port != 0) options.plain_serving.push_back(plain);
  }
  return {};
}

// Fills in the configuration and what takes the place of its profiles.
Result<void> LoadConfiguration(const FlagSet& flags, const FlagValues& values, Options& options) {
  options.legacy.policy.compat = values.legacy.policy_compat;
  if (options.config_file.empty()) {
    CompleteFromFlags(flags, values, options);
  } else {
    const std::string text = BERTH_TRY(runtime::ReadFile(options.config_file));
    const auto complete = config::IsLegacyConfiguration(text) ? CompleteFromLegacyFile : CompleteFromFile;
    BERTH_CHECK_OK(complete(flags, values, text, options));
  }
  if (options.reload_config && options.legacy.in_force()) {
    return Invalid("--reload-config does not go with a policy or an algorithm provider");
  }
  options.configuration.pod_max_in_unschedulable = values.configuration.pod_max_in_unschedulable;
  if (flags.Changed("pod-max-in-unschedulable-pods-duration")) {
    options.legacy.max_in_unschedulable = values.configuration.pod_max_in_unschedulable;
  }
  return ApplyLegacyAlgorithm(options);
}

}  // namespace

Result<void> ValidateFlags(const FlagValues& values, const EffectiveVersion& version, const GateSettings& gates) {
  std::vector<std::string> errors = CheckRanges(version);
  const Options& options = values.options;
  if (options.reload_config && options.config_file.empty()) errors.push_back("--reload-config needs --config");
  for (const std::vector<std::string>& found :
       {ValidateServing(options.serving), ValidateRequestHeader(options.authentication.request_header, gates),
        ValidateMetrics(options.metrics), ValidateLegacyFlags(values.legacy)}) {
    errors.insert(errors.end(), found.begin(), found.end());
  }
  if (errors.empty()) return {};
  return Invalid(JoinErrors(errors));
}

LoggingOptions CompleteLogging(const FlagValues& values) {
  const LoggingFlags& flags = values.logging;
  const bool json = flags.format == "json";
  LoggingOptions logging = values.options.logging;
  logging.format = flags.format;
  logging.flush_frequency = flags.flush_frequency;
  logging.split_stream = json ? flags.json_split_stream : flags.text_split_stream;
  logging.info_buffer_bytes = json ? flags.json_info_buffer_bytes : flags.text_info_buffer_bytes;
  return logging;
}

Result<Options> CompleteOptions(const FlagSet& flags, const FlagValues& values, const EffectiveVersion& version,
                                const GateSettings& gates, const framework::Registry& plugins) {
  Options options = values.options;
  options.plugins = &plugins;
  options.gates = gates.scheduler;
  if (values.legacy.port != 0) {
    options.plain_serving.push_back({values.legacy.address, static_cast<uint16_t>(values.legacy.port)});
  }
  BERTH_CHECK_OK(LoadConfiguration(flags, values, options));
  options.gate_overrides = gates.overrides;
  options.features = FeatureStates(gates, version);
  options.logging = CompleteLogging(values);
  options.emulation_version = ToText(version.emulation);
  options.min_compatibility_version = ToText(version.min_compatibility);
  if (values.version.starts_with('v')) options.reported_version = values.version;
  for (const FlagSection& section : flags.sections()) {
    for (const auto& [name, flag] : section.flags) {
      options.flags.push_back({name, flag.binding.text(), !section.is_upstream});
    }
  }
  std::ranges::sort(options.flags, {}, &FlagValue::name);
  return options;
}

}  // namespace berth::scheduler_app
