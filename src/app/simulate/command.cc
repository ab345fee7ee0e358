// SPDX-License-Identifier: Apache-2.0
#include "app/simulate/command.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iostream>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/command_line/notes.h"
#include "app/command_line/scheduler_options.h"
#include "app/command_line/standard_output.h"
#include "app/scheduler/flags/gates.h"
#include "app/simulate/report/history_report.h"
#include "app/simulate/report/plots.h"
#include "app/simulate/report/report.h"
#include "app/simulate/report/statistics.h"
#include "app/simulate/run/simulation.h"
#include "runtime/system_error.h"

namespace berth::simulate {
namespace {

constexpr int kExitFits = 0;
constexpr int kExitDoesNotFit = 1;
constexpr int kExitBadInput = 2;

constexpr std::string_view kDescription =
    R"(Schedules pods without a cluster and says where each goes, or why it cannot.

Reads Kubernetes manifests: nodes, pods, workloads, volumes, priority classes and what else
scheduling looks at, written by hand or dumped with `kubectl get -A -o yaml`. The cluster is
that of `berth up`, in virtual time: its API server checks and completes what was written by
hand, its controllers make the pods that Deployments, StatefulSets, DaemonSets, Jobs and the
like lack. Pods with a spec.nodeName are running; the others are scheduled in queue order by
the decisions of kube-scheduler. Preemption evicts, and volumes are bound and provisioned.

With --timeline the cluster lives in virtual time: objects come, change and go, pods arrive
at a rate and end, evicted pods take their time to go. The report says how long pods waited,
how long the queue was and how full the cluster.)";

constexpr std::string_view kFooter =
    R"(Exit code: 0 every pod has a place, 1 some pod has none, 2 bad input. Gated pods and pods
of other schedulers do not count.

Examples:
  berth simulate -f cluster.yaml -f pods/
  kubectl get -A -o yaml nodes,pods,rs,sts,ds,jobs,pv,pvc,sc,pdb,pc |
    berth simulate -f - -f new.yaml
  berth simulate -f cluster.yaml -f pods/ --config scheduler.yaml --explain
  berth simulate -f cluster.yaml --timeline timeline.yaml --plots plots/
  berth simulate -f cluster.yaml -f pods/ -o json |
    jq '.pods[] | select(.outcome != "scheduled")')";

struct Options {
  std::vector<std::string> files;
  std::string config;
  bool calls_extenders = false;
  std::string devices;
  std::string behaviour;
  std::string output = "table";
  bool explain = false;
  bool summary_only = false;
  size_t top = 5;
  std::optional<uint64_t> seed;
  std::vector<std::string> feature_gates;
  std::string timeline;  // Empty: no virtual time.
  std::string until;
  std::string plots;
  std::string record;
  const framework::Registry* plugins = nullptr;
};

Result<std::optional<Duration>> ParseUntil(const std::string& text) {
  if (text.empty()) return std::nullopt;
  const Result<Duration> until = ParseDuration(text);
  if (!until || *until < Duration{}) return Invalid(fmt::format("--until: \"{}\" is no duration, such as 90s", text));
  return *until;
}

Result<Settings> MakeSettings(const Options& options) {
  Settings settings;
  settings.gates = BERTH_TRY(scheduler_app::ResolveGateFlags(options.feature_gates)).scheduler;
  settings.configuration =
      BERTH_TRY(app::LoadConfiguration(options.config, settings.gates, *options.plugins, options.calls_extenders));
  settings.plugins = options.plugins;
  settings.seed = options.seed;
  settings.devices_file = options.devices;
  settings.behaviour_file = options.behaviour;
  settings.until = BERTH_TRY(ParseUntil(options.until));
  settings.explain = options.explain;
  settings.explain_limit = options.top;
  return settings;
}

// A line that is written over and over, on terminals only.
Result<void> RunWithProgress(const std::function<Result<void>(const Simulation::Progress&)>& run) {
  if (isatty(STDERR_FILENO) == 0) return run({});
  const Result<void> done = run([](size_t attempts, size_t queued) {
    fmt::print(stderr, "\r\033[K{} attempts, {} pods in the queue", attempts, queued);
  });
  fmt::print(stderr, "\r\033[K");
  return done;
}

Result<void> CheckEnds(const Timeline& timeline, const std::string& path) {
  for (const Arrivals& arrivals : timeline.arrivals) {
    if (!arrivals.until) {
      return Invalid(fmt::format("{}: the arrivals of {} have no end: give them an until, or give --until", path,
                                 arrivals.pod["metadata"]["generateName"].text()));
    }
  }
  return {};
}

// After a call that set errno, or did not if an earlier one had failed already.
std::unexpected<Error> CannotWrite(const std::string& path) {
  const std::string why = errno == 0 ? "cannot be written" : runtime::SystemError(errno);
  return Fail(Code::kUnavailable, fmt::format("{}: {}", path, why));
}

Result<void> WritePlots(const std::string& directory, const History& history) {
  std::error_code error;
  std::filesystem::create_directories(directory, error);
  for (const Plot& plot : MakePlots(history)) {
    const std::filesystem::path path = std::filesystem::path(directory) / plot.file_name;
    errno = 0;
    std::ofstream file(path, std::ios::binary);
    file << plot.svg << std::flush;
    if (!file) return CannotWrite(path.string());
  }
  return {};
}

// The whole cluster at once, or in the course of time if there is a timeline.
Result<Timeline> MakeTimeline(const Options& options, const framework::FeatureGates& gates) {
  if (!options.timeline.empty()) return ReadTimeline(options.timeline, server::Catalog(gates));
  Timeline none;
  none.settings = TimelineSettings::Timeless();
  return none;
}

std::string Report(const Options& options, const Simulation& simulation) {
  if (options.timeline.empty()) {
    return options.summary_only       ? SummaryReport(simulation)
           : options.output == "json" ? JsonReport(simulation)
           : options.output == "yaml" ? YamlReport(simulation)
                                      : TableReport(simulation);
  }
  const History& history = simulation.history();
  return options.summary_only       ? HistorySummaryText(history)
         : options.output == "json" ? HistoryJson(history)
         : options.output == "yaml" ? HistoryYaml(history)
                                    : HistoryTable(history);
}

Result<int> Simulate(const Options& options) {
  const Settings settings = BERTH_TRY(MakeSettings(options));
  std::optional<Manifests> manifests = BERTH_TRY(Manifests::Read(options.files, std::cin));
  Timeline timeline = BERTH_TRY(MakeTimeline(options, settings.gates));
  if (!settings.until) BERTH_CHECK_OK(CheckEnds(timeline, options.timeline));
  std::ofstream log;
  errno = 0;
  if (!options.record.empty()) log.open(options.record, std::ios::binary);
  if (!log) return CannotWrite(options.record);
  const std::unique_ptr<Simulation> simulation =
      BERTH_TRY(Simulation::Create(settings, *manifests, std::move(timeline), options.record.empty() ? nullptr : &log));
  manifests.reset();  // They take more memory than the cluster that was made of them.
  BERTH_CHECK_OK(RunWithProgress([&](const Simulation::Progress& progress) { return simulation->Run(progress); }));
  const History& history = simulation->history();
  app::PrintNotes(history.notes);
  errno = 0;
  if (!log.flush()) return CannotWrite(options.record);
  if (!options.plots.empty()) BERTH_CHECK_OK(WritePlots(options.plots, history));
  app::Print(Report(options, *simulation));
  const size_t without_place = options.timeline.empty() ? SummarizeFates(history).unschedulable  //
                                                        : Summarize(history).never_placed;
  return without_place == 0 ? kExitFits : kExitDoesNotFit;
}

int Run(const Options& options) {
  const Result<int> exit_code = Simulate(options);
  if (exit_code) return *exit_code;
  fmt::print(stderr, "berth simulate: {}\n", app::Shorten(exit_code.error().message));
  return kExitBadInput;
}

}  // namespace

void AddCommand(CLI::App& app, const framework::Registry& plugins, int& exit_code) {
  const auto options = std::make_shared<Options>();
  options->plugins = &plugins;
  CLI::App* command = app.add_subcommand("simulate", std::string(kDescription));
  command->footer(std::string(kFooter));
  command
      ->add_option("-f,--filename", options->files,
                   "File, directory (all *.yaml, *.yml, *.json in it) or - for standard input; may be repeated")
      ->required()
      ->type_name("PATH")
      ->allow_extra_args(false);
  command
      ->add_option("--config", options->config, "KubeSchedulerConfiguration; without it the defaults of kube-scheduler")
      ->type_name("FILE");
  command->add_flag("--call-extenders", options->calls_extenders,
                    "Call the extenders of the configuration; without it they are an error");
  command->add_option("--devices", options->devices, "The devices of the nodes, as manifests (docs/up.md)")
      ->type_name("FILE");
  command->add_option("--behaviour", options->behaviour, "How pods and nodes behave, in a timeline (docs/up.md)")
      ->type_name("FILE");
  CLI::Option* output = command->add_option("-o,--output", options->output, "Form of the report");
  output->check(CLI::IsMember({"table", "json", "yaml"}))->type_name("table|json|yaml")->capture_default_str();
  CLI::Option* explain = command->add_flag(
      "--explain", options->explain,
      "Say for every pod why nodes were turned down, how the others scored and what preemption could do");
  command->add_option("--top", options->top, "How many nodes lists in explanations show")
      ->type_name("N")
      ->capture_default_str()
      ->needs(explain);
  command->add_flag("--summary", options->summary_only, "Print what does not fit and the numbers, no tables")
      ->excludes(explain)
      ->excludes(output);
  command
      ->add_option("--seed", options->seed,
                   "Choose among equally good nodes at random, by this seed; "
                   "without it the first by name is taken")
      ->type_name("N");
  command
      ->add_option("--feature-gates", options->feature_gates,
                   "Feature gates of Kubernetes, such as NAME=true,OTHER=false")
      ->type_name("NAME=BOOL,...")
      ->delimiter(',')
      ->allow_extra_args(false);
  CLI::Option* timeline =
      command->add_option("--timeline", options->timeline, "What happens in the course of time (see docs/simulate.md)")
          ->type_name("FILE")
          ->excludes(explain);
  command
      ->add_option("--until", options->until, "End at this time, such as 1h30m; without it when nothing moves any more")
      ->type_name("DURATION")
      ->needs(timeline);
  command->add_option("--plots", options->plots, "Write plots as SVG into this directory")
      ->type_name("DIR")
      ->needs(timeline);
  command->add_option("--record", options->record, "Write the inputs of the scheduler's core to this file")
      ->type_name("FILE");
  command->callback([options, &exit_code] { exit_code = Run(*options); });
}

}  // namespace berth::simulate
