// SPDX-License-Identifier: Apache-2.0
#include "app/ask/command.h"

#include <fmt/format.h>

#include <cstdio>
#include <functional>
#include <iostream>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "app/ask/source.h"
#include "app/command_line/notes.h"
#include "app/command_line/standard_output.h"
#include "explain/answer.h"
#include "explain/capacity.h"
#include "explain/question.h"
#include "runtime/files.h"
#include "world/manifests.h"

namespace berth::ask {
namespace {

using api::Json;

constexpr int kExitFits = 0;
constexpr int kExitDoesNotFit = 1;
constexpr int kExitBadInput = 2;
constexpr int kExitEvicts = 3;

constexpr std::string_view kPlanDescription =
    R"(Says what would come of applying manifests to a cluster, and changes nothing.

Where each pod would go, whom it would evict, what stays pending and why. Controllers make
the pods of Deployments and the like, volumes and claims are bound, all in virtual time, by
the decisions of kube-scheduler.)";
constexpr std::string_view kPlanFooter =
    R"(Exit code: 0 every pod finds a place, 1 some pod finds none, 2 bad input, 3 every pod finds
a place, but others are evicted.

Examples:
  berth plan -f web.yaml --cluster dump.yaml
  berth plan -f web.yaml --kubeconfig ~/.kube/config -o json
  berth plan -f web.yaml --log run.log --at 2026-01-01T00:05:00Z)";

constexpr std::string_view kWhatIfDescription =
    R"(Says what would come of changing a cluster, and changes nothing.

The changes are made in the order configuration, nodes added, removed, uncordoned, cordoned,
labelled and tainted, objects deleted; then the manifests of -f are applied. Pods of nodes that are removed
come again elsewhere if a controller keeps them up. The answer is that of `berth plan`, for
the pods that come and those that waited.)";
constexpr std::string_view kWhatIfFooter =
    R"(Nodes are named, or chosen by labels: zone=eu-1a. Exit code: as of `berth plan`.

Examples:
  berth what-if --add-nodes 3 --like node-7 --cluster dump.yaml
  berth what-if --cordon zone=eu-1a --cluster dump.yaml
  berth what-if --with-config packed.yaml --berth http://127.0.0.1:6443
  berth what-if --remove-nodes node-7 -f web.yaml --kubeconfig ~/.kube/config)";

constexpr std::string_view kCapacityDescription =
    R"(Says how many more of a pod a cluster has room for, where, and what ends it.

The pod is that of the manifest, or that of the template in it. Several are a mix: one of each
is counted as one. Nobody is evicted.)";
constexpr std::string_view kCapacityFooter =
    R"(Exit code: 0 there is room for one, 1 there is none, 2 bad input.

Examples:
  berth capacity -f pod.yaml --cluster dump.yaml
  berth capacity -f web.yaml -f cache.yaml --kubeconfig ~/.kube/config)";

struct Options {
  SourceOptions source;
  std::vector<std::string> files;
  // what-if
  int64_t add_nodes = 0;
  std::string like;
  std::vector<std::string> remove, cordon, uncordon, labels, taints, deletions;
  std::string other_config;
  // capacity
  int64_t limit = explain::kCapacityLimit;
};

Result<std::vector<Json>> ReadObjects(const std::vector<std::string>& files) {
  const world::Manifests manifests = BERTH_TRY(world::Manifests::Read(files, std::cin));
  std::vector<Json> objects;
  for (const world::Manifest& manifest : manifests.all()) {
    if (!manifest.problems.empty() && !manifest.object.is_from_server) return Invalid(manifest.problems.front());
    Json object = Json::FromValue(manifest.object.value);
    object.Set("apiVersion", std::string_view(manifest.object.api_version));
    object.Set("kind", std::string_view(manifest.object.kind));
    objects.push_back(std::move(object));
  }
  return objects;
}

// A name, or a selector such as zone=eu-1a.
explain::NodeChoice ChoiceOf(const std::string& text) {
  if (text.find_first_of("=!,( ") == text.npos) return {{text}, ""};
  return {{}, text};
}

// NODES:REST, where NODES are as above.
Result<std::pair<explain::NodeChoice, std::string>> SplitChoice(const std::string& flag, const std::string& text) {
  const size_t colon = text.find(':');
  if (colon == text.npos || colon == 0)
    return Invalid(fmt::format("{}: \"{}\" is not of the form NODES:VALUE", flag, text));
  return std::pair(ChoiceOf(text.substr(0, colon)), text.substr(colon + 1));
}

Result<explain::LabelNodes> ParseLabel(const std::string& text) {
  auto [nodes, pair] = BERTH_TRY(SplitChoice("--label", text));
  const size_t equals = pair.find('=');
  Json labels = Json::MakeMap();
  if (equals == pair.npos && !pair.ends_with('-')) {
    return Invalid(fmt::format("--label: \"{}\" is neither KEY=VALUE nor KEY-", pair));
  }
  if (equals == pair.npos) {
    labels.Set(pair.substr(0, pair.size() - 1), Json());
  } else {
    labels.Set(pair.substr(0, equals), std::string_view(pair).substr(equals + 1));
  }
  return explain::LabelNodes{std::move(nodes), std::move(labels)};
}

Result<explain::TaintNodes> ParseTaint(const std::string& text) {
  auto [nodes, taint] = BERTH_TRY(SplitChoice("--taint", text));
  const bool is_undone = taint.ends_with('-');
  if (is_undone) taint.pop_back();
  Result<api::Taint> parsed = explain::ParseTaint(taint);
  if (!parsed) return Invalid("--taint: " + parsed.error().message);
  return explain::TaintNodes{std::move(nodes), {*std::move(parsed)}, is_undone};
}

// KIND/NAME or KIND/NAMESPACE/NAME.
Result<explain::DeleteObject> ParseDeletion(const std::string& text) {
  const size_t first = text.find('/');
  const size_t second = first == text.npos ? text.npos : text.find('/', first + 1);
  if (first == text.npos || first == 0 || first + 1 == text.size()) {
    return Invalid(fmt::format("--delete: \"{}\" is not of the form KIND/[NAMESPACE/]NAME", text));
  }
  if (second == text.npos) return explain::DeleteObject{text.substr(0, first), "", text.substr(first + 1)};
  return explain::DeleteObject{text.substr(0, first), text.substr(first + 1, second - first - 1),
                               text.substr(second + 1)};
}

Result<std::vector<explain::Change>> ReadChanges(const Options& options) {
  std::vector<explain::Change> changes;
  if (!options.other_config.empty()) {
    changes.emplace_back(explain::Configure{BERTH_TRY(runtime::ReadFile(options.other_config))});
  }
  if (options.add_nodes > 0) changes.emplace_back(explain::AddNodes{options.add_nodes, options.like, {}, {}});
  for (const std::string& nodes : options.remove) changes.emplace_back(explain::RemoveNodes{ChoiceOf(nodes)});
  for (const std::string& nodes : options.uncordon) changes.emplace_back(explain::CordonNodes{ChoiceOf(nodes), true});
  for (const std::string& nodes : options.cordon) changes.emplace_back(explain::CordonNodes{ChoiceOf(nodes), false});
  for (const std::string& label : options.labels) changes.emplace_back(BERTH_TRY(ParseLabel(label)));
  for (const std::string& taint : options.taints) changes.emplace_back(BERTH_TRY(ParseTaint(taint)));
  for (const std::string& deletion : options.deletions) changes.emplace_back(BERTH_TRY(ParseDeletion(deletion)));
  return changes;
}

Result<Json> Ask(const std::string& kind, const SourceOptions& source, const Json& question) {
  if (source.asks_berth()) return api::ParseTree(BERTH_TRY(AskBerth(source, "POST", kind, question.ToText())));
  Progress progress;
  const std::unique_ptr<Situation> situation = BERTH_TRY(Situation::Open(source, progress));
  return explain::AnswerIn(situation->surroundings(), kind, question, progress);
}

int PlanExit(const Json& answer) {
  if (answer["unplaced"].IntOr(0) > 0) return kExitDoesNotFit;
  return answer["evictions"].empty() ? kExitFits : kExitEvicts;
}

Result<int> Run(const std::string& kind, const Options& options) {
  Json question;
  if (kind == "capacity") {
    question = explain::ToJson(explain::CapacityQuestion{BERTH_TRY(ReadObjects(options.files)), options.limit});
  } else {
    explain::Question asked{BERTH_TRY(ReadChanges(options)), {}};
    if (!options.files.empty()) asked.objects = BERTH_TRY(ReadObjects(options.files));
    question = explain::ToJson(asked);
  }
  const Json answer = BERTH_TRY(Ask(kind, options.source, question));
  if (options.source.output == "table") {
    std::vector<std::string> notes;
    for (const Json& note : answer["notKnown"].items()) notes.push_back(note.text());
    app::PrintNotes(notes);
    app::Print(explain::AnswerText(kind, answer));
  } else {
    app::Print(BERTH_TRY(Formatted(options.source, answer.ToText())));
  }
  if (kind == "capacity") return answer["count"].IntOr(0) > 0 ? kExitFits : kExitDoesNotFit;
  return PlanExit(answer);
}

CLI::App* AddCommand(CLI::App& app, const std::string& name, std::string_view description, std::string_view footer,
                     const framework::Registry& plugins, const std::shared_ptr<Options>& options, int& exit_code) {
  options->source.plugins = &plugins;
  CLI::App* command = app.add_subcommand(name, std::string(description));
  command->footer(std::string(footer));
  command->callback([name, options, &exit_code] {
    const Result<int> done = Run(name, *options);
    if (!done) fmt::print(stderr, "berth {}: {}\n", name, app::Shorten(done.error().message));
    exit_code = done ? *done : kExitBadInput;
  });
  return command;
}

CLI::Option* AddFiles(CLI::App& command, Options& options, const std::string& description) {
  return command.add_option("-f,--filename", options.files, description)->type_name("PATH")->allow_extra_args(false);
}

void AddChoice(CLI::App& command, const std::string& flag, std::vector<std::string>& values,
               const std::string& description, const std::string& type) {
  command.add_option(flag, values, description)->type_name(type)->allow_extra_args(false);
}

}  // namespace

void AddCommands(CLI::App& app, const framework::Registry& plugins, int& exit_code) {
  const auto plan = std::make_shared<Options>();
  CLI::App* command = AddCommand(app, "plan", kPlanDescription, kPlanFooter, plugins, plan, exit_code);
  AddFiles(*command, *plan, "What would be applied: file, directory or -; may be repeated")->required();
  AddSourceFlags(*command, plan->source);

  const auto what_if = std::make_shared<Options>();
  command = AddCommand(app, "what-if", kWhatIfDescription, kWhatIfFooter, plugins, what_if, exit_code);
  CLI::Option* like =
      command->add_option("--like", what_if->like, "The node that added nodes are like")->type_name("NODE");
  command->add_option("--add-nodes", what_if->add_nodes, "Add so many nodes")
      ->check(CLI::Range(int64_t{1}, explain::kAddedNodesMax))
      ->type_name("N")
      ->needs(like);
  AddChoice(*command, "--remove-nodes", what_if->remove, "Remove nodes", "NODES");
  AddChoice(*command, "--uncordon", what_if->uncordon, "Uncordon nodes", "NODES");
  AddChoice(*command, "--cordon", what_if->cordon, "Cordon nodes", "NODES");
  AddChoice(*command, "--label", what_if->labels, "Label nodes, or take a label away: NODES:KEY-", "NODES:KEY=VALUE");
  AddChoice(*command, "--taint", what_if->taints, "Taint nodes, or take a taint away with - at the end",
            "NODES:KEY=VALUE:EFFECT");
  AddChoice(*command, "--delete", what_if->deletions, "Delete an object", "KIND/[NS/]NAME");
  command->add_option("--with-config", what_if->other_config, "Another configuration of the scheduler")
      ->type_name("FILE");
  AddFiles(*command, *what_if, "What would be applied then: file, directory or -; may be repeated");
  AddSourceFlags(*command, what_if->source);

  const auto capacity = std::make_shared<Options>();
  command = AddCommand(app, "capacity", kCapacityDescription, kCapacityFooter, plugins, capacity, exit_code);
  AddFiles(*command, *capacity, "The pods: file, directory or -; may be repeated")->required();
  command->add_option("--limit", capacity->limit, "Where counting ends that puts pod after pod")
      ->check(CLI::Range(int64_t{1}, explain::kCapacityLimit))
      ->type_name("N")
      ->capture_default_str();
  AddSourceFlags(*command, capacity->source);
}

}  // namespace berth::ask
