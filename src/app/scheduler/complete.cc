// SPDX-License-Identifier: Apache-2.0
#include "app/scheduler/complete.h"

#include <fmt/format.h>

#include "api/field_error.h"
#include "app/scheduler/validate.h"
#include "client/files.h"
#include "client/server_access.h"
#include "config/config.h"

namespace berth::scheduler_app {
namespace {

using framework::SchedulerConfiguration;

void ApplyLeaderElection(const FlagSet& flags, const SchedulerConfiguration& given, SchedulerConfiguration& target) {
  const framework::LeaderElectionConfiguration& from = given.leader_election;
  framework::LeaderElectionConfiguration& to = target.leader_election;
  if (flags.Changed("leader-elect")) to.leader_elect = from.leader_elect;
  if (flags.Changed("leader-elect-lease-duration")) to.lease_duration = from.lease_duration;
  if (flags.Changed("leader-elect-renew-deadline")) to.renew_deadline = from.renew_deadline;
  if (flags.Changed("leader-elect-retry-period")) to.retry_period = from.retry_period;
  if (flags.Changed("leader-elect-resource-lock")) to.resource_lock = from.resource_lock;
  if (flags.Changed("leader-elect-resource-name")) to.resource_name = from.resource_name;
  if (flags.Changed("leader-elect-resource-namespace")) to.resource_namespace = from.resource_namespace;
}

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

Result<SchedulerConfiguration> LoadConfiguration(const FlagSet& flags, const FlagValues& values,
                                                 const framework::FeatureGates& gates) {
  const std::string& file = values.options.config_file;
  if (file.empty()) {
    SchedulerConfiguration configuration = config::Default(gates);
    ApplyDeprecated(flags, values.configuration, configuration);
    ApplyLeaderElection(flags, values.configuration, configuration);
    return configuration;
  }
  const std::string text = BERTH_TRY(client::ReadFile(file));
  return config::Load(text, gates, framework::BuiltInPluginPoints, [&](SchedulerConfiguration& configuration) {
    ApplyLeaderElection(flags, values.configuration, configuration);
  });
}

}  // namespace

Result<void> ValidateFlags(const FlagValues& values, const EffectiveVersion& version, const GateSettings& gates) {
  std::vector<std::string> errors = CheckRanges(version);
  const Options& options = values.options;
  for (const std::vector<std::string>& found :
       {ValidateServing(options.serving), ValidateRequestHeader(options.authentication.request_header, gates),
        ValidateMetrics(options.metrics)}) {
    errors.insert(errors.end(), found.begin(), found.end());
  }
  if (errors.empty()) return {};
  return Invalid(api::JoinErrors(errors));
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
                                const GateSettings& gates) {
  Options options = values.options;
  options.configuration = BERTH_TRY(LoadConfiguration(flags, values, gates.scheduler));
  options.gates = gates.scheduler;
  options.gate_overrides = gates.overrides;
  options.features = FeatureStates(gates, version);
  options.logging = CompleteLogging(values);
  options.emulation_version = ToText(version.emulation);
  options.min_compatibility_version = ToText(version.min_compatibility);
  if (values.version.starts_with('v')) options.reported_version = values.version;
  for (const auto& [name, flag] : flags.ByName()) {
    options.flags.push_back({std::string(name), flag->binding.text(), flags.sections().back().flags.contains(name)});
  }
  return options;
}

}  // namespace berth::scheduler_app
