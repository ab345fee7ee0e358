// SPDX-License-Identifier: Apache-2.0
#include "app/up/snapshot_command.h"

#include <fmt/format.h>

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "app/command_line/ask_server.h"
#include "app/command_line/default_kubeconfig.h"
#include "app/command_line/notes.h"
#include "app/command_line/standard_output.h"
#include "app/up/snapshot_handler.h"
#include "base/result.h"
#include "client/access/server_access.h"
#include "runtime/files.h"
#include "runtime/private_file.h"
#include "server/model/json.h"

namespace berth::up {
namespace {

constexpr std::string_view kSnapshotDescription =
    R"(Saves all objects of a running `berth up`, and resets it to what was saved.)";

constexpr std::string_view kSnapshotFooter =
    R"(The cluster is the one that --kubeconfig names, else $KUBECONFIG, else the
file berth.kubeconfig in this folder. A snapshot is a List in JSON, which
`berth up --import` and kubectl read too. Restoring one writes and removes what
is different, and watches see it.

Exit code: 0 it was done, 1 something was refused or could not be reached.

Examples:
  berth snapshot save fresh.json
  berth snapshot restore fresh.json)";

constexpr Duration kSnapshotTimeout = Minutes(2);

struct SnapshotOptions {
  std::string kubeconfig;
  std::string file;
};

Result<std::string> AskForSnapshot(const SnapshotOptions& options, std::string method, std::string body) {
  const std::string kubeconfig = options.kubeconfig.empty() ? app::DefaultKubeconfig() : options.kubeconfig;
  client::ServerAccess access = BERTH_TRY(client::FindServer(kubeconfig, "", client::ClientEnvironment::OfProcess()));
  client::RestRequest request;
  request.method = std::move(method);
  request.path = "/berth/v1/snapshot";
  if (!body.empty()) request.content_type = client::kJson;
  request.body = std::move(body);
  request.timeout = kSnapshotTimeout;
  return app::AskServer(std::move(access), "berth-snapshot", std::move(request));
}

Result<void> SaveSnapshot(const SnapshotOptions& options) {
  const std::string text = BERTH_TRY(AskForSnapshot(options, "GET", ""));
  return runtime::WritePrivateFile(options.file, text);  // There are Secrets in it.
}

Result<void> RestoreSaved(const SnapshotOptions& options) {
  Result<std::string> text = runtime::ReadFile(options.file, kSnapshotBytesMax);
  if (!text) return std::unexpected(text.error());
  const std::string answer = BERTH_TRY(AskForSnapshot(options, "PUT", *std::move(text)));
  const server::Json report = BERTH_TRY(server::ParseTree(answer));
  std::vector<std::string> skipped;
  for (const server::Json& object : report["skipped"].items()) {
    skipped.push_back("left out, its kind is not served: " + object.text());
  }
  app::PrintNotes(skipped);
  app::Print(fmt::format("{} created, {} changed, {} removed, {} as they were\n", report["created"].IntOr(0),
                         report["changed"].IntOr(0), report["removed"].IntOr(0), report["unchanged"].IntOr(0)));
  return {};
}

void AddSnapshotAction(CLI::App& parent, int& exit_code, const std::string& name, const std::string& description,
                       Result<void> (*run)(const SnapshotOptions&)) {
  const auto options = std::make_shared<SnapshotOptions>();
  CLI::App* action = parent.add_subcommand(name, description);
  action->add_option("file", options->file, "The snapshot")->required()->type_name("FILE");
  action->add_option("--kubeconfig", options->kubeconfig, "The cluster")->type_name("FILE");
  action->callback([options, run, name, &exit_code] {
    const Result<void> ran = run(*options);
    if (ran) return;
    fmt::print(stderr, "berth snapshot {}: {}\n", name, ran.error().message);
    exit_code = 1;
  });
}

}  // namespace

void AddSnapshotCommand(CLI::App& app, int& exit_code) {
  CLI::App* command = app.add_subcommand("snapshot", std::string(kSnapshotDescription));
  command->require_subcommand(1);
  command->footer(std::string(kSnapshotFooter));
  AddSnapshotAction(*command, exit_code, "save", "Saves all objects in a file", SaveSnapshot);
  AddSnapshotAction(*command, exit_code, "restore", "Resets the cluster to the objects of a file", RestoreSaved);
}

}  // namespace berth::up
