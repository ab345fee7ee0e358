// SPDX-License-Identifier: Apache-2.0
#include "app/up/export_command.h"

#include <fmt/format.h>

#include <cstdio>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>

#include "app/command_line/default_kubeconfig.h"
#include "app/command_line/standard_output.h"
#include "app/up/salvage_report.h"
#include "client/access/server_access.h"
#include "client/request/connection.h"
#include "client/request/rest_client.h"
#include "net/event_loop.h"
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
  const server::Catalog catalog;
  server::Store store(catalog);
  PrintLosses("berth export", directory, BERTH_TRY(server::Journal::Read(directory, catalog, store, salvages)));
  server::DumpWriter writer = Printer();
  for (const server::Resource* resource : server::LoadOrder(catalog)) {
    for (const auto& [key, object] : store.All(*resource)) writer.Add(object->Tree());
  }
  writer.End();
  return {};
}

// Lists one resource after another, page by page.
class ServerExport {
 public:
  ServerExport(net::EventLoop& loop, client::Connection& connection)
      : loop_(loop),
        client_(connection.transport(), loop, connection.credentials(),
                {.server = connection.url(), .user_agent = "berth-export", .qps = 0, .burst = 0}, nullptr),
        order_(server::LoadOrder(catalog_)),
        writer_(Printer()) {}

  Result<void> Run() {
    Ask("");
    loop_.Run();
    if (failure_) return std::unexpected(*failure_);
    writer_.End();
    return {};
  }

 private:
  void Ask(std::string_view continues) {
    if (next_ == order_.size()) return loop_.Stop();
    const server::Resource& resource = *order_[next_];
    client::RestRequest request;
    request.path = resource.group.empty()
                       ? fmt::format("/api/{}/{}", resource.version, resource.plural)
                       : fmt::format("/apis/{}/{}/{}", resource.group, resource.version, resource.plural);
    request.query = "limit=500";
    if (!continues.empty()) request.query += fmt::format("&continue={}", continues);
    client_.Send(std::move(request), [this](Result<client::RestAnswer> answer) { OnAnswer(std::move(answer)); });
  }

  void OnAnswer(Result<client::RestAnswer> answer) {
    if (!answer) return Fail(answer.error());
    // A kind that this server does not have.
    if (answer->status == 404) {
      ++next_;
      return Ask("");
    }
    if (!answer->ok()) return Fail({Code::kUnavailable, client::ErrorOf(*answer).message});
    const Result<server::Json> list = server::ParseTree(answer->body);
    if (!list) return Fail(list.error());
    const server::Resource& resource = *order_[next_];
    for (server::Json item : (*list)["items"].items()) {
      item.Set("apiVersion", resource.api_version);
      item.Set("kind", resource.kind);
      writer_.Add(item);
    }
    const std::string continues = (*list)["metadata"]["continue"].text();
    if (continues.empty()) ++next_;
    Ask(continues);
  }

  void Fail(Error error) {
    failure_ = std::move(error);
    loop_.Stop();
  }

  net::EventLoop& loop_;
  const server::Catalog catalog_;
  client::RestClient client_;
  const std::vector<const server::Resource*> order_;
  size_t next_ = 0;
  server::DumpWriter writer_;
  std::optional<Error> failure_;
};

Result<void> ExportServer(const std::string& kubeconfig) {
  net::EventLoop loop;
  client::ServerAccess access = BERTH_TRY(client::FindServer(kubeconfig, "", client::ClientEnvironment::OfProcess()));
  const std::unique_ptr<client::Connection> connection = BERTH_TRY(client::Connection::Create(loop, std::move(access)));
  return ServerExport(loop, *connection).Run();
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
