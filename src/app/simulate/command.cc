// SPDX-License-Identifier: Apache-2.0
#include "app/simulate/command.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>
#include <fstream>
#include <iostream>
#include <iterator>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "app/simulate/report.h"
#include "app/simulate/simulation.h"
#include "config/config.h"

namespace berth::simulate {
namespace {

constexpr int kExitFits = 0;
constexpr int kExitDoesNotFit = 1;
constexpr int kExitBadInput = 2;

constexpr std::string_view kDescription =
    R"(Schedules pods without a cluster and says where each goes, or why it cannot.

Reads Kubernetes manifests: nodes, pods, workloads, volumes, priority classes and what else
scheduling looks at, written by hand or dumped with `kubectl get -A -o yaml`. Pods with a
spec.nodeName are running; the others are scheduled in queue order by the decisions of
kube-scheduler. Deployments, StatefulSets, DaemonSets, Jobs and the like become the pods
that they lack. Preemption evicts, and volumes are bound and provisioned.)";

constexpr std::string_view kFooter =
    R"(Exit code: 0 every pod has a place, 1 some pod has none, 2 bad input. Gated pods and pods
of other schedulers do not count.

Examples:
  berth simulate -f cluster.yaml -f pods/
  kubectl get nodes,pods,pv,pvc,sc,rs,sts,pdb,priorityclasses -A -o yaml | berth simulate -f - -f new.yaml
  berth simulate -f cluster.yaml -f pods/ --config scheduler.yaml --explain --top 3
  berth simulate -f cluster.yaml -f pods/ -o json | jq '.pods[] | select(.outcome != "scheduled")')";

struct Options {
  std::vector<std::string> files;
  std::string config;
  std::string output = "table";
  bool explain = false;
  size_t top = 5;
  std::optional<uint64_t> seed;
  std::vector<std::string> feature_gates;
};

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
                                                            const framework::FeatureGates& gates) {
  if (path.empty()) return config::Default(gates);
  std::ifstream file(path, std::ios::binary);
  if (!file) return Fail(Code::kNotFound, fmt::format("{}: cannot be opened", path));
  const std::string text{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  Result<framework::SchedulerConfiguration> loaded = config::Load(text, gates);
  if (!loaded) return Invalid(WithFile(path, loaded.error().message));
  return loaded;
}

Result<std::unique_ptr<Simulation>> Prepare(const Options& options) {
  Settings settings;
  settings.gates = BERTH_TRY(ParseGates(options.feature_gates));
  settings.configuration = BERTH_TRY(LoadConfiguration(options.config, settings.gates));
  settings.seed = options.seed;
  settings.explain = options.explain;
  settings.explain_limit = options.top;
  const Manifests manifests = BERTH_TRY(Manifests::Read(options.files, std::cin));
  World world = BERTH_TRY(BuildWorld(manifests));
  return Simulation::Create(settings, std::move(world));
}

// A line that is written over and over, on terminals only.
void RunWithProgress(Simulation& simulation) {
  if (isatty(STDERR_FILENO) == 0) return simulation.Run();
  simulation.Run([](size_t attempts, size_t queued) {
    fmt::print(stderr, "\r\033[K{} attempts, {} pods in the queue", attempts, queued);
  });
  fmt::print(stderr, "\r\033[K");
}

// Names and values from the input may be of any length.
std::string Shorten(const std::string& text) {
  constexpr size_t kLineMax = 1000;
  std::string out;
  for (size_t begin = 0; begin <= text.size();) {
    const size_t end = std::min(text.find('\n', begin), text.size());
    const size_t size = end - begin;
    out.append(text, begin, std::min(size, kLineMax));
    if (size > kLineMax) out += fmt::format("... ({} more bytes)", size - kLineMax);
    if (end == text.size()) break;
    out += '\n';
    begin = end + 1;
  }
  return out;
}

int Run(const Options& options) {
  Result<std::unique_ptr<Simulation>> prepared = Prepare(options);
  if (!prepared) {
    fmt::print(stderr, "berth simulate: {}\n", Shorten(prepared.error().message));
    return kExitBadInput;
  }
  Simulation& simulation = **prepared;
  for (const std::string& note : simulation.notes()) fmt::print(stderr, "note: {}\n", Shorten(note));
  RunWithProgress(simulation);
  std::cout << (options.output == "json"   ? JsonReport(simulation)
                : options.output == "yaml" ? YamlReport(simulation)
                                           : TableReport(simulation))
            << std::flush;
  return Summarize(simulation).unschedulable == 0 ? kExitFits : kExitDoesNotFit;
}

}  // namespace

void AddCommand(CLI::App& app, int& exit_code) {
  const auto options = std::make_shared<Options>();
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
  command->add_option("-o,--output", options->output, "Form of the report")
      ->check(CLI::IsMember({"table", "json", "yaml"}))
      ->type_name("table|json|yaml")
      ->capture_default_str();
  command->add_flag("--explain", options->explain,
                    "Say for every pod why nodes were turned down, how the others scored and what preemption could do");
  command->add_option("--top", options->top, "How many nodes lists in explanations show")
      ->type_name("N")
      ->capture_default_str();
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
  command->callback([options, &exit_code] { exit_code = Run(*options); });
}

}  // namespace berth::simulate
