// SPDX-License-Identifier: Apache-2.0
#include "app/ask/diff.h"

#include <fmt/format.h>

#include <cerrno>
#include <cstdio>
#include <deque>
#include <fstream>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "app/ask/source.h"
#include "app/command_line/notes.h"
#include "app/command_line/scheduler_options.h"
#include "app/command_line/standard_output.h"
#include "explain/comparison.h"
#include "explain/trace_run.h"
#include "record/input_log.h"
#include "runtime/system_error.h"

namespace berth::ask {
namespace {

constexpr int kExitSame = 0;
constexpr int kExitOther = 1;
constexpr int kExitWrong = 2;

constexpr std::string_view kDiffDescription =
    R"(Compares what two configurations of the scheduler make of one cluster, or of one recording.

Of a cluster: where the pods go that wait. Of a recording: where all pods would have gone that
the recorded scheduler placed, how long they would have waited, whom they would have evicted.)";
constexpr std::string_view kDiffFooter =
    R"(Exit code: 0 all pods have the same places, 1 some have not, 2 bad input.

Examples:
  berth diff --config old.yaml --config new.yaml --cluster dump.yaml
  berth diff --config old.yaml --config new.yaml --log run.log -o json)";

struct DiffOptions {
  SourceOptions source;
  std::vector<std::string> configs;
};

Result<explain::Course> CourseOfCluster(const SourceOptions& source, explain::Pacer& pacer) {
  const std::unique_ptr<Situation> situation = BERTH_TRY(Situation::Open(source, pacer));
  explain::Course course;
  for (const explain::PodFate& fate : BERTH_TRY(situation->surroundings().Fates(pacer))) {
    course.nodes[fate.full_name()] = fate.node;
  }
  course.evictions = situation->surroundings().evictions().size();
  explain::MeasureNodes(situation->core().cluster(), course);
  return course;
}

// The recording is read once, for all of them.
Result<std::vector<explain::Course>> CoursesOfLog(const SourceOptions& source, const std::vector<std::string>& configs,
                                                  explain::Pacer& pacer) {
  errno = 0;
  std::ifstream file(source.log, std::ios::binary);
  if (!file) return Fail(Code::kNotFound, fmt::format("open {}: {}", source.log, runtime::SystemError(errno)));
  const auto named = [&](const Error& error) {
    return Fail(error.code, fmt::format("{}: {}", source.log, error.message));
  };
  Result<record::Reader> reader = record::Reader::Open(file, *source.plugins);
  if (!reader) return named(reader.error());
  record::Settings settings = reader->settings();
  settings.policy_release.reset();
  std::vector<std::unique_ptr<scheduler::Core>> cores;
  std::deque<explain::TraceRun> runs;
  for (const std::string& config : configs) {
    settings.configuration = BERTH_TRY(app::LoadConfiguration(config, settings.gates, *source.plugins, false));
    cores.push_back(BERTH_TRY(record::MakeCore(settings, *source.plugins)));
    runs.emplace_back(*cores.back());
  }
  while (true) {
    const Result<std::optional<record::Entry>> entry = reader->Next();
    if (!entry) return named(entry.error());
    if (!*entry) break;
    const auto* input = std::get_if<scheduler::Input>(&(*entry)->what);
    if (input == nullptr) continue;
    for (explain::TraceRun& run : runs) BERTH_CHECK_OK(run.Take(*input, pacer));
  }
  std::vector<explain::Course> courses;
  for (explain::TraceRun& run : runs) courses.push_back(BERTH_TRY(run.Finish(pacer)));
  return courses;
}

Result<std::vector<explain::Course>> CoursesOfCluster(SourceOptions source, const std::vector<std::string>& configs,
                                                      explain::Pacer& pacer) {
  std::vector<explain::Course> courses;
  for (const std::string& config : configs) {
    source.config = config;
    courses.push_back(BERTH_TRY(CourseOfCluster(source, pacer)));
  }
  return courses;
}

Result<int> RunDiff(const DiffOptions& options) {
  Progress progress;
  const std::vector<explain::Course> courses =
      BERTH_TRY(options.source.log.empty() ? CoursesOfCluster(options.source, options.configs, progress)
                                           : CoursesOfLog(options.source, options.configs, progress));
  const api::Json comparison = explain::CompareCourses(courses[0], courses[1]);
  app::Print(options.source.output == "table" ? explain::ComparisonText(comparison)
                                              : BERTH_TRY(Formatted(options.source, comparison.ToText())));
  return comparison["differ"].empty() ? kExitSame : kExitOther;
}

}  // namespace

void AddDiffCommand(CLI::App& app, const framework::Registry& plugins, int& exit_code) {
  const auto options = std::make_shared<DiffOptions>();
  options->source.plugins = &plugins;
  CLI::App* command = app.add_subcommand("diff", std::string(kDiffDescription));
  command->footer(std::string(kDiffFooter));
  AddSourceFlags(*command, options->source, SourceFlags::kWithoutConfig);
  command->add_option("--config", options->configs, "A KubeSchedulerConfiguration; give two")
      ->type_name("FILE")
      ->required()
      ->expected(2)
      ->allow_extra_args(false);
  command->callback([options, &exit_code] {
    const Result<int> done = RunDiff(*options);
    if (!done) fmt::print(stderr, "berth diff: {}\n", app::Shorten(done.error().message));
    exit_code = done ? *done : kExitWrong;
  });
}

}  // namespace berth::ask
