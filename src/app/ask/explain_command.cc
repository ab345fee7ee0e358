// SPDX-License-Identifier: Apache-2.0
#include "app/ask/explain_command.h"

#include <fmt/format.h>

#include <cctype>
#include <cstdio>
#include <functional>
#include <memory>
#include <string>
#include <utility>

#include "api/document/json_writer.h"
#include "app/ask/source.h"
#include "app/command_line/notes.h"
#include "app/command_line/standard_output.h"
#include "app/explain/explanation_text.h"
#include "explain/counterfactual.h"

namespace berth::ask {
namespace {

constexpr int kExitAnswered = 0;
constexpr int kExitNoAnswer = 2;
constexpr size_t kRecordBytes = size_t{64} << 20;
constexpr size_t kRowsDefault = 500;
constexpr size_t kRowsMax = 10'000;

constexpr std::string_view kExplainDescription =
    R"(Says why a pod is pending, or why it is where it is.

A running Berth tells what it noted when it decided. In a cluster that is read, the pod is
tried. What would help a pod that waits is found by trying that too.)";
constexpr std::string_view kExplainFooter =
    R"(Exit code: 0 there is an answer, 2 there is none.

Examples:
  berth explain pod web-1 --berth http://127.0.0.1:6443
  berth explain pod web-1 --why-not node-7 --berth https://10.0.0.1:10259
  berth explain pod web-1 --nodes --cluster dump.yaml
  kubectl berth explain pod web-1)";

constexpr std::string_view kQueueDescription =
    R"(Lists the pods that wait to be scheduled, in the order in which they are tried.)";
constexpr std::string_view kQueueFooter =
    R"(Examples:
  berth queue --berth http://127.0.0.1:6443
  berth queue --log run.log --at 2026-01-01T00:05:00Z)";

struct ExplainOptions {
  SourceOptions source;
  std::string what;
  std::string name;
  std::string ns = "default";
  std::string why_not;
  bool all_nodes = false;
  bool leaves_changes_out = false;
  size_t limit = kRowsDefault;
};

// For a query.
std::string Escape(std::string_view text) {
  std::string escaped;
  for (const char c : text) {
    const bool is_plain = std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '-' || c == '.' || c == '_';
    escaped += is_plain ? std::string(1, c) : fmt::format("%{:02X}", static_cast<unsigned char>(c));
  }
  return escaped;
}

// Tries the pod at once, alone or with its group.
void Try(scheduler::Core& core, const cluster::PodInfo& pod, Time now) {
  std::string name = pod.full_name();
  const cluster::PodGroups& groups = core.cluster().groups;
  if (groups.IsMember(pod)) {
    const std::optional<cluster::GroupKey> root = groups.RootOf(cluster::PodGroups::KeyOf(pod));
    if (root) name = queue::EntityKey(*root);
  }
  (void)core.Step({now, scheduler::ScheduleNext{std::move(name)}});
}

// What would help the pod; null if it needs no help, or who asks may not ask that.
Result<api::Json> AskForChanges(const ExplainOptions& options) {
  const api::Json question{{"namespace", api::Json::String(options.ns)}, {"name", api::Json::String(options.name)}};
  const Result<std::string> answer = AskBerth(options.source, "POST", "counterfactuals", question.ToText());
  if (answer) return api::ParseTree(*answer);
  // One that has a node, or another scheduler, is no question.
  if (answer.error().code != Code::kInvalid) app::PrintNotes({"what would help: " + answer.error().message});
  return api::Json();
}

// The explanation as JSON, and what would help.
Result<std::string> WithChanges(const std::string& explanation, api::Json changes) {
  if (changes.is_null()) return explanation;
  api::Json tree = BERTH_TRY(api::ParseTree(explanation));
  tree.Set("counterfactuals", std::move(changes));
  return tree.ToText();
}

Result<void> ExplainByBerth(const ExplainOptions& options) {
  const bool is_text = options.source.output == "table";
  const std::string path =
      fmt::format("explain/pods/{}/{}?nodes={}{}{}", Escape(options.ns), Escape(options.name), options.all_nodes,
                  options.why_not.empty() ? "" : "&whyNot=" + Escape(options.why_not), is_text ? "&output=text" : "");
  const std::string answer = BERTH_TRY(AskBerth(options.source, "GET", path, ""));
  const api::Json changes = options.leaves_changes_out ? api::Json() : BERTH_TRY(AskForChanges(options));
  if (is_text) {
    app::Print(answer + (changes.is_null() ? "" : explain::CounterfactualText(changes)));
    return {};
  }
  const std::string whole = BERTH_TRY(WithChanges(answer, changes));
  app::Print(BERTH_TRY(Formatted(options.source, whole)));
  return {};
}

Result<void> Explain(const ExplainOptions& options) {
  if (options.source.asks_berth()) return ExplainByBerth(options);
  Progress progress;
  const std::unique_ptr<Situation> situation = BERTH_TRY(Situation::Open(options.source, progress));
  scheduler::Core& core = situation->core();
  const Time now = situation->now();
  core.set_record_limits({.bytes = kRecordBytes});
  const cluster::PodPtr pod = core.pods().Find(options.ns + "/" + options.name);
  const bool is_pending = pod != nullptr && pod->node_name.empty() && !core.cluster().IsAssumed(pod->uid);
  if (is_pending) Try(core, *pod, now);
  const explain::PodExplanation answer = BERTH_TRY(explain::ExplainPod(
      core, {.ns = options.ns, .name = options.name, .why_not = options.why_not, .all_nodes = options.all_nodes}, now));
  const bool still_waits = is_pending && !core.cluster().IsAssumed(pod->uid);
  api::Json changes;
  if (still_waits && !options.leaves_changes_out) {
    const Result<explain::CounterfactualAnswer> found = explain::Counterfactuals(core, pod->full_name(), now, progress);
    if (found) changes = explain::ToJson(*found);
  }
  if (options.source.output == "table") {
    app::PrintNotes(situation->surroundings().notes());
    app::Print(explain::PodText(answer, now) + (changes.is_null() ? "" : explain::CounterfactualText(changes)));
    return {};
  }
  api::JsonWriter json(2);
  explain::WritePodExplanation(json, answer);
  const std::string whole = BERTH_TRY(WithChanges(json.Take(), std::move(changes)));
  app::Print(BERTH_TRY(Formatted(options.source, whole)));
  return {};
}

Result<void> ListQueue(const ExplainOptions& options) {
  if (options.source.asks_berth()) {
    const bool is_text = options.source.output == "table";
    const std::string path = fmt::format("queue?limit={}{}", options.limit, is_text ? "&output=text" : "");
    const std::string answer = BERTH_TRY(AskBerth(options.source, "GET", path, ""));
    app::Print(is_text ? answer : BERTH_TRY(Formatted(options.source, answer)));
    return {};
  }
  Progress progress;
  const std::unique_ptr<Situation> situation = BERTH_TRY(Situation::Open(options.source, progress));
  const explain::QueueListing listing = explain::ListQueue(situation->core(), situation->now(), options.limit);
  if (options.source.output == "table") {
    app::PrintNotes(situation->surroundings().notes());
    app::Print(explain::QueueText(listing));
    return {};
  }
  api::JsonWriter json(2);
  explain::WriteListing(json, listing);
  app::Print(BERTH_TRY(Formatted(options.source, json.Take())));
  return {};
}

using RunCommand = Result<void> (*)(const ExplainOptions&);

CLI::App* AddQuestion(CLI::App& app, const std::string& name, std::string_view description, std::string_view footer,
                      const framework::Registry& plugins, const std::shared_ptr<ExplainOptions>& options,
                      RunCommand run, int& exit_code) {
  options->source.plugins = &plugins;
  CLI::App* command = app.add_subcommand(name, std::string(description));
  command->footer(std::string(footer));
  command->callback([name, options, run, &exit_code] {
    const Result<void> done = run(*options);
    if (!done) fmt::print(stderr, "berth {}: {}\n", name, app::Shorten(done.error().message));
    exit_code = done ? kExitAnswered : kExitNoAnswer;
  });
  return command;
}

}  // namespace

void AddExplainCommands(CLI::App& app, const framework::Registry& plugins, int& exit_code) {
  const auto why = std::make_shared<ExplainOptions>();
  CLI::App* command =
      AddQuestion(app, "explain", kExplainDescription, kExplainFooter, plugins, why, Explain, exit_code);
  command->add_option("KIND", why->what, "What is asked about: pod")
      ->type_name("KIND")
      ->required()
      ->check(CLI::IsMember({"pod", "pods"}));
  command->add_option("NAME", why->name, "Its name")->type_name("NAME")->required();
  command->add_option("-n,--namespace", why->ns, "Its namespace")->type_name("NAMESPACE")->capture_default_str();
  command->add_option("--why-not", why->why_not, "Why it is not on this node")->type_name("NODE");
  command->add_flag("--nodes", why->all_nodes, "Say of every node what the last attempt found");
  command->add_flag("--no-changes", why->leaves_changes_out, "Do not look for what would help");
  AddSourceFlags(*command, why->source);

  const auto waiting = std::make_shared<ExplainOptions>();
  command = AddQuestion(app, "queue", kQueueDescription, kQueueFooter, plugins, waiting, ListQueue, exit_code);
  command->add_option("--limit", waiting->limit, "How many are listed")
      ->check(CLI::Range(size_t{1}, kRowsMax))
      ->type_name("N")
      ->capture_default_str();
  AddSourceFlags(*command, waiting->source);
}

}  // namespace berth::ask
