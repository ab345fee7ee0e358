// SPDX-License-Identifier: Apache-2.0
#include "app/scheduler/command.h"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstdio>

#include "api/document/field_error.h"
#include "app/command_line/standard_output.h"
#include "app/scheduler/flags/complete.h"
#include "app/scheduler/flags/go_values.h"
#include "app/scheduler/flags/help.h"
#include "app/scheduler/run.h"
#include "base/similar_word.h"
#include "config/config.h"
#include "runtime/system_error.h"
#include "telemetry/log.h"

namespace berth::scheduler_app {
namespace {

constexpr int kSuccess = 0;
constexpr int kFailure = 1;

// Of the terminal that standard output is, else 0.
size_t TerminalColumns() {
  winsize size{};
  return ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 ? size.ws_col : 0;
}

int FailPlainly(std::string_view text) {
  fmt::print(stderr, "{}\n", text);
  return kFailure;
}

// Errors about the arguments are reported before logging is set up.
int FailEarly(const Error& error) { return FailPlainly("Error: " + error.message); }

int FailLogged(const Error& error) {
  telemetry::LogError(error, "command failed");
  telemetry::FlushLog();
  return kFailure;
}

// A line with the flag that was probably meant, if the message is about one that does not exist.
std::string FlagHint(const FlagSet& flags, std::string_view message) {
  constexpr std::string_view kUnknown = "unknown flag: --";
  if (!message.starts_with(kUnknown)) return {};
  std::vector<std::string_view> names;
  for (const auto& [name, flag] : flags.ByName()) names.push_back(name);
  const std::string_view similar = MostSimilar(message.substr(kUnknown.size()), names);
  return similar.empty() ? "" : fmt::format("Did you mean --{}?\n", similar);
}

Result<void> CheckArguments(const std::vector<std::string>& arguments) {
  if (std::ranges::all_of(arguments, &std::string::empty)) return {};
  std::vector<std::string> quoted;
  for (const std::string& argument : arguments) quoted.push_back(api::GoQuote(argument));
  return Invalid(fmt::format("\"kube-scheduler\" does not take any arguments, got [{}]", fmt::join(quoted, " ")));
}

Result<void> ApplyLogging(const LoggingOptions& logging) {
  std::vector<std::string> modules;
  for (const auto& [pattern, verbosity] : logging.vmodule) modules.push_back(fmt::format("{}={}", pattern, verbosity));
  return telemetry::ConfigureLog(
      {.format = logging.format == "json" ? telemetry::LogFormat::kJson : telemetry::LogFormat::kText,
       .verbosity = static_cast<int>(logging.verbosity),
       .vmodule = fmt::format("{}", fmt::join(modules, ",")),
       .split_stream = logging.split_stream,
       .info_buffer_bytes = static_cast<size_t>(std::max<int64_t>(logging.info_buffer_bytes, 0))});
}

void LogSettledGates(const GateSettings& gates) {
  for (const std::string& name : gates.settled) {
    telemetry::LogInfo("Warning: setting a feature gate that will be removed in a future release", "featureGate", name,
                       "value", gates.Enabled(name));
  }
}

Result<void> WriteConfiguration(const Options& options) {
  const std::string& path = options.write_config_to;
  const auto fail = [&path](std::string_view what) {
    return Invalid(fmt::format("{} {}: {}", what, path, runtime::SystemError(errno)));
  };
  std::FILE* file = std::fopen(path.c_str(), "we");
  if (file == nullptr) return fail("open");
  const std::string text = config::ToYaml(options.configuration);
  const bool written = std::fwrite(text.data(), 1, text.size(), file) == text.size();
  const bool closed = std::fclose(file) == 0;
  if (!written || !closed) return fail("write");
  telemetry::LogInfo("Wrote configuration", "file", path);
  return {};
}

// Everything after the arguments and the logging have been found to be fine.
Result<int> Run(const FlagSet& flags, const FlagValues& values, const EffectiveVersion& version,
                const GateSettings& gates, const framework::Registry& plugins) {
  BERTH_CHECK_OK(ValidateFlags(values, version, gates));
  const Options options = BERTH_TRY(CompleteOptions(flags, values, version, gates, plugins));
  BERTH_CHECK_OK(CheckSurroundings(options));
  // JSON has no such numbers, and the configuration is shown in it.
  const float qps = options.configuration.client_connection.qps;
  if (!std::isfinite(qps)) return Invalid(fmt::format("json: unsupported value: {}", FormatGoFloat(qps)));
  BERTH_LOG(2, "Using component config", "config", config::ToYaml(options.configuration));
  if (!options.write_config_to.empty()) {
    if (options.legacy.in_force()) {
      return Invalid("--write-config-to cannot write a policy or an algorithm provider; see berth convert-policy");
    }
    BERTH_CHECK_OK(WriteConfiguration(options));
    return kSuccess;
  }
  BERTH_CHECK_OK(CheckImplemented(gates));
  const framework::LeaderElectionConfiguration& election = options.configuration.leader_election;
  if (election.leader_elect) BERTH_CHECK_OK(CheckElectionTimes(election));
  return RunScheduler(options);
}

}  // namespace

int RunCommand(std::string_view program, std::span<const std::string> arguments, const framework::Registry& plugins) {
  FlagValues values;
  FlagSet flags;
  DefineFlags(flags, values);
  const Result<std::vector<std::string>> others = flags.Parse(arguments);
  if (!others) {
    fmt::print(stderr, "{}\n", UsageText(program, flags, TerminalColumns()));
    FailEarly(others.error());
    fmt::print(stderr, "{}", FlagHint(flags, others.error().message));
    return kFailure;
  }
  if (values.help) {
    app::Print(HelpText(program, flags, TerminalColumns()));
    return kSuccess;
  }
  if (const Result<void> checked = CheckArguments(*others); !checked) return FailEarly(checked.error());

  const Result<EffectiveVersion> version = ResolveVersions(values.emulated_versions, values.min_compatibility_versions);
  if (!version) return FailLogged(version.error());
  const Result<GateSettings> gates = ResolveGates(values.gates, *version);
  if (!gates) return FailLogged(gates.error());
  if (values.version == "true" || values.version == "raw") {
    app::Print((values.version == "raw" ? RawVersionLine(kKubernetesVersion) : VersionLine(kKubernetesVersion)) + "\n");
    return kSuccess;
  }

  const Result<void> logging = ValidateLogging(values.logging, values.options.logging.vmodule, *gates);
  if (!logging) return FailPlainly(logging.error().message);
  if (const Result<void> applied = ApplyLogging(CompleteLogging(values)); !applied) return FailLogged(applied.error());
  LogSettledGates(*gates);
  for (const auto& [name, flag] : flags.ByName()) BERTH_LOG(1, "FLAG", "name", name, "value", flag->binding.text());

  const Result<int> code = Run(flags, values, *version, *gates, plugins);
  return code ? *code : FailLogged(code.error());
}

}  // namespace berth::scheduler_app
