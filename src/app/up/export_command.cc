// SPDX-License-Identifier: Apache-2.0
#include "app/up/export_command.h"

#include <fmt/format.h>

#include <cstdio>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

#include "app/command_line/default_kubeconfig.h"
#include "app/command_line/list_cluster.h"
#include "app/command_line/standard_output.h"
#include "app/up/salvage_report.h"
#include "client/access/server_access.h"
#include "server/custom/custom_kinds.h"
#include "server/model/resource.h"
#include "server/store/dump.h"
#include "server/store/journal.h"
#include "server/store/journal_compaction.h"
#include "server/store/store.h"

namespace berth::up {
namespace {

constexpr std::string_view kExportDescription =
    R"(Writes all objects of a cluster as one YAML List, which `berth up --import` and kubectl read.)";

constexpr std::string_view kExportFooter =
    R"(Exit code: 0 everything was written, 1 something could not be read (with --salvage: but for what is damaged).

Examples:
  berth export > cluster.yaml                  of the kubeconfig's cluster
  berth export --kubeconfig berth.kubeconfig   of that one
  berth export --data ./cluster                of a `berth up` that does not run)";

struct ExportOptions {
  std::string kubeconfig;
  std::string data_directory;
  bool salvages = false;
};

server::DumpWriter Printer() { return server::DumpWriter(app::Print); }

Result<void> CheckIsData(const std::string& directory) {
  std::error_code error;
  if (!std::filesystem::is_directory(directory, error)) return Invalid(directory + ": there is no such directory");
  if (std::filesystem::exists(server::JournalPath(directory), error)) return {};
  return Invalid(directory + ": is no data directory of berth up, as it has no journal");
}

Result<void> ExportDirectory(const std::string& directory, bool salvages) {
  BERTH_CHECK_OK(CheckIsData(directory));
  server::Catalog catalog;
  server::Store store(catalog);
  server::CustomKinds custom(catalog, store);
  PrintLosses("berth export", directory,
              BERTH_TRY(server::Journal::Read(directory, catalog, store, salvages, [&] { custom.SetAll(); })));
  server::DumpWriter writer = Printer();
  for (const server::Resource* resource : server::LoadOrder(catalog)) {
    for (const auto& [key, object] : store.All(*resource)) writer.Add(object->Tree());
  }
  writer.End();
  return {};
}

Result<void> ExportServer(const std::string& kubeconfig) {
  client::ServerAccess access = BERTH_TRY(client::FindServer(kubeconfig, "", client::ClientEnvironment::OfProcess()));
  server::DumpWriter writer = Printer();
  BERTH_CHECK_OK(app::ListCluster(
      std::move(access), "berth-export", [](const server::Resource&) { return true; },
      [&](const server::Json& object) { writer.Add(object); }));
  writer.End();
  return {};
}

int RunExport(const ExportOptions& options) {
  const Result<void> exported = options.data_directory.empty()
                                    ? ExportServer(options.kubeconfig)
                                    : ExportDirectory(options.data_directory, options.salvages);
  if (exported) return 0;
  fmt::print(stderr, "berth export: {}\n", exported.error().message);
  return 1;
}

}  // namespace

void AddExportCommand(CLI::App& app, int& exit_code) {
  const auto options = std::make_shared<ExportOptions>();
  options->kubeconfig = app::DefaultKubeconfig();
  CLI::App* command = app.add_subcommand("export", std::string(kExportDescription));
  command->footer(std::string(kExportFooter));
  CLI::Option* kubeconfig = command->add_option("--kubeconfig", options->kubeconfig, "The cluster to read")
                                ->type_name("FILE")
                                ->capture_default_str();
  CLI::Option* data =
      command->add_option("--data", options->data_directory, "Read this data directory instead of a server")
          ->type_name("DIR")
          ->excludes(kubeconfig);
  command->add_flag("--salvage", options->salvages, "Go on without what is damaged in the data directory, and say so")
      ->needs(data);
  command->callback([options, &exit_code] { exit_code = RunExport(*options); });
}

}  // namespace berth::up
