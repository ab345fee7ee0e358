// SPDX-License-Identifier: Apache-2.0
#include "app/replay/command.h"

#include <fmt/format.h>

#include <charconv>
#include <memory>
#include <string>

#include "app/command_line/standard_output.h"
#include "app/replay/run.h"

namespace berth::replay {
namespace {

constexpr int kExitEqual = 0;
constexpr int kExitDiffers = 1;
constexpr int kExitBadInput = 2;

constexpr std::string_view kDescription =
    R"(Replays an input log: everything that a scheduler was told, in its order.

The scheduler that is replayed has the recorded configuration, and every step must have the
effects that were recorded. A replay can stop at an attempt to schedule a pod and explain it.)";

constexpr std::string_view kFooter =
    R"(Exit code: 0 every step had the recorded effects, 1 some step had others, 2 bad input or a
damaged log; what stands before the damage is replayed. A log that is still being written, or
whose writer died, is replayed up to its last whole entry, and the report says so.

Examples:
  berth replay run.log
  berth replay run.log --until 2026-01-01T00:05:00Z
  berth replay run.log --pod default/web-1 --explain
  berth replay run.log --pod default/web-1#2 --explain -o json)";

struct Options {
  std::string file;
  std::string until;
  std::string pod;
  bool explain = false;
  size_t top = 5;
  std::string output = "table";
  const framework::Registry* plugins = nullptr;
};

// NS/NAME or NS/NAME#ATTEMPT.
Result<void> ParsePod(const std::string& text, Request& request) {
  const size_t hash = text.find('#');
  request.pod = text.substr(0, hash);
  const size_t slash = request.pod.find('/');
  bool is_valid = slash != std::string::npos && slash > 0 && slash + 1 < request.pod.size();
  if (hash != std::string::npos) {
    const char* begin = text.data() + hash + 1;
    const char* end = text.data() + text.size();
    const auto [parsed, error] = std::from_chars(begin, end, request.attempt);
    is_valid = is_valid && error == std::errc() && parsed == end && request.attempt > 0;
  }
  if (!is_valid)
    return Invalid(fmt::format("--pod: \"{}\" is not of the form NAMESPACE/NAME or NAMESPACE/NAME#ATTEMPT", text));
  return {};
}

Result<Report> Replay(const Options& options) {
  Request request;
  request.file = options.file;
  request.plugins = options.plugins;
  request.explain = options.explain;
  request.explain_limit = options.top;
  if (!options.until.empty()) {
    const Result<Time> until = ParseTime(options.until);
    if (!until) return Invalid("--until: " + until.error().message);
    request.until = *until;
  }
  if (!options.pod.empty()) BERTH_CHECK_OK(ParsePod(options.pod, request));
  return ReplayFile(request);
}

int Run(const Options& options) {
  const Result<Report> report = Replay(options);
  if (!report) {
    fmt::print(stderr, "berth replay: {}\n", report.error().message);
    return kExitBadInput;
  }
  app::Print(options.output == "json" ? JsonReport(*report) : TableReport(*report));
  if (!report->problem) return kExitEqual;
  fmt::print(stderr, "berth replay: {}: {}\n", options.file, report->problem->message);
  return report->problem->code == Code::kConflict ? kExitDiffers : kExitBadInput;
}

}  // namespace

void AddCommand(CLI::App& app, const framework::Registry& plugins, int& exit_code) {
  const auto options = std::make_shared<Options>();
  options->plugins = &plugins;
  CLI::App* command = app.add_subcommand("replay", std::string(kDescription));
  command->footer(std::string(kFooter));
  command->add_option("file", options->file, "The input log")->required()->type_name("FILE");
  command->add_option("--until", options->until, "Replay nothing that came after this time (RFC 3339)")
      ->type_name("TIME");
  CLI::Option* pod =
      command->add_option("--pod", options->pod, "Stop at this attempt to schedule the pod, or at the last one")
          ->type_name("NS/NAME[#ATTEMPT]");
  CLI::Option* explain =
      command
          ->add_flag("--explain", options->explain,
                     "Say why nodes were turned down, how the others scored and what preemption could do")
          ->needs(pod);
  command->add_option("--top", options->top, "How many nodes lists in the explanation show")
      ->type_name("N")
      ->capture_default_str()
      ->needs(explain);
  command->add_option("-o,--output", options->output, "Form of the report")
      ->check(CLI::IsMember({"table", "json"}))
      ->type_name("table|json")
      ->capture_default_str();
  command->callback([options, &exit_code] { exit_code = Run(*options); });
}

}  // namespace berth::replay
