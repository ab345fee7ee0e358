// SPDX-License-Identifier: Apache-2.0
#include "app/ask/source.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstdio>
#include <fstream>
#include <iostream>
#include <utility>

#include "api/document/yaml_writer.h"
#include "app/command_line/ask_server.h"
#include "app/command_line/default_kubeconfig.h"
#include "app/command_line/list_cluster.h"
#include "app/command_line/scheduler_options.h"
#include "app/scheduler/flags/gates.h"
#include "client/access/server_access.h"
#include "client/request/rest_client.h"
#include "record/replay.h"
#include "record/settings.h"
#include "runtime/system_error.h"
#include "world/loader.h"
#include "world/manifests.h"

namespace berth::ask {
namespace {

constexpr Duration kAnswerTimeout = Seconds(60);

int64_t NowMillis() {
  return std::chrono::duration_cast<std::chrono::milliseconds>(std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

Result<world::Manifests> ReadCluster(const SourceOptions& options) {
  if (!options.cluster.empty()) return world::Manifests::Read(options.cluster, std::cin);
  world::Manifests manifests;
  Result<void> added;
  const std::string kubeconfig = options.kubeconfig.empty() ? app::DefaultKubeconfig() : options.kubeconfig;
  client::ServerAccess access =
      BERTH_TRY(client::FindServer(kubeconfig, options.access, client::ClientEnvironment::OfProcess()));
  BERTH_CHECK_OK(app::ListCluster(
      std::move(access), "berth-ask", [](const server::Resource& resource) { return world::IsRead(resource.kind); },
      [&](const server::Json& object) {
        if (added) added = manifests.Add(object.ToText(), kubeconfig);
      }));
  BERTH_CHECK_OK(added);
  return manifests;
}

// How a running Berth is asked that wants to know by whom.
void AddAccessFlags(CLI::App& command, CLI::Option& berth, client::AccessOverrides& access) {
  const auto add_file = [&](const std::string& flag, std::string& value, const std::string& description) {
    return command.add_option(flag, value, description)->type_name("FILE")->needs(&berth);
  };
  add_file("--token-file", access.token_file, "Token to show to the running Berth");
  CLI::Option* certificate =
      add_file("--client-certificate", access.client_certificate, "Certificate to show to the running Berth");
  CLI::Option* key = add_file("--client-key", access.client_key, "Key of the certificate")->needs(certificate);
  certificate->needs(key);
  CLI::Option* authority =
      add_file("--certificate-authority", access.certificate_authority, "Authorities that vouch for the running Berth");
  command
      .add_flag("--insecure-skip-tls-verify", access.insecure_skip_tls_verify,
                "Ask the running Berth whoever it is: others may listen and answer")
      ->needs(&berth)
      ->excludes(authority);
}

Result<std::optional<Time>> ParseAt(const std::string& text) {
  if (text.empty()) return std::nullopt;
  const Result<Time> at = ParseTime(text);
  if (!at) return Invalid("--at: " + at.error().message);
  return *at;
}

}  // namespace

void AddSourceFlags(CLI::App& command, SourceOptions& options, SourceFlags flags) {
  CLI::Option* cluster = command
                             .add_option("--cluster", options.cluster,
                                         "The cluster: file, directory or - with manifests or a dump; may be repeated")
                             ->type_name("PATH")
                             ->allow_extra_args(false);
  CLI::Option* kubeconfig =
      command.add_option("--kubeconfig", options.kubeconfig, "The cluster: a live one, which is listed once")
          ->type_name("FILE")
          ->excludes(cluster);
  CLI::Option* context =
      command.add_option("--context", options.access.context, "The context of the kubeconfig, if not its current one")
          ->type_name("NAME")
          ->excludes(cluster);
  CLI::Option* log =
      command.add_option("--log", options.log, "The cluster: a recording, as it is at its end or at --at")
          ->type_name("FILE")
          ->excludes(cluster)
          ->excludes(kubeconfig)
          ->excludes(context);
  command.add_option("--at", options.at, "The moment of the recording (RFC 3339)")->type_name("TIME")->needs(log);
  const auto make_own = [&](CLI::Option* option) { return option->excludes(log); };
  CLI::Option* gates = make_own(command.add_option("--feature-gates", options.feature_gates,
                                                   "Feature gates of Kubernetes, such as NAME=true,OTHER=false"));
  gates->type_name("NAME=BOOL,...")->delimiter(',')->allow_extra_args(false);
  CLI::Option* seed = make_own(command.add_option(
      "--seed", options.seed,
      "Choose among equally good nodes at random, by this seed; without it the first by name is taken"));
  seed->type_name("N");
  if (flags == SourceFlags::kAll) {
    CLI::Option* config = make_own(command.add_option(
        "--config", options.config, "KubeSchedulerConfiguration; without it the defaults of kube-scheduler"));
    config->type_name("FILE");
    CLI::Option* berth = command.add_option("--berth", options.access.server,
                                            "The cluster: that of a running Berth, which is asked; with --kubeconfig "
                                            "as its user");
    berth->type_name("URL");
    for (CLI::Option* other : {cluster, log, gates, seed, config}) berth->excludes(other);
    AddAccessFlags(command, *berth, options.access);
  }
  command.add_option("-o,--output", options.output, "Form of the answer")
      ->check(CLI::IsMember({"table", "json", "yaml"}))
      ->type_name("table|json|yaml")
      ->capture_default_str();
}

Result<std::unique_ptr<Situation>> Situation::OpenLog(const SourceOptions& options) {
  const std::optional<Time> at = BERTH_TRY(ParseAt(options.at));
  errno = 0;
  std::ifstream file(options.log, std::ios::binary);
  if (!file) return Fail(Code::kNotFound, fmt::format("open {}: {}", options.log, runtime::SystemError(errno)));
  const auto named = [&](const Error& error) {
    return Fail(error.code, fmt::format("{}: {}", options.log, error.message));
  };
  Result<std::unique_ptr<record::Replay>> replay = record::Replay::Open(file, *options.plugins);
  if (!replay) return named(replay.error());
  while (true) {
    const Result<std::optional<Time>> next = (*replay)->PeekTime();
    if (!next) return named(next.error());
    if (!*next || (at && **next > *at)) break;
    if (const Result<bool> stepped = (*replay)->Step(); !stepped) return named(stepped.error());
  }
  const Time now = (*replay)->now();
  const framework::FeatureGates gates = (*replay)->settings().gates;
  std::unique_ptr<Situation> situation(
      new Situation((*replay)->TakeCore(), gates, now, explain::Surroundings::Past::kOfCore));
  situation->surroundings_->FillFromCore();
  return situation;
}

Result<std::unique_ptr<Situation>> Situation::Open(const SourceOptions& options, explain::Pacer& pacer) {
  if (!options.log.empty()) return OpenLog(options);
  const framework::FeatureGates gates = BERTH_TRY(scheduler_app::ResolveGateFlags(options.feature_gates)).scheduler;
  framework::SchedulerConfiguration configuration =
      BERTH_TRY(app::LoadConfiguration(options.config, gates, *options.plugins, false));
  const world::Manifests manifests = BERTH_TRY(ReadCluster(options));
  const Time begin = world::LatestTime(manifests);
  std::unique_ptr<scheduler::Core> core =
      BERTH_TRY(record::MakeCore({std::move(configuration), gates, options.seed, begin}, *options.plugins));
  std::unique_ptr<Situation> situation(
      new Situation(std::move(core), gates, begin, explain::Surroundings::Past::kNone));
  BERTH_CHECK_OK(situation->surroundings_->FillFrom(manifests));
  BERTH_CHECK_OK(situation->surroundings_->Settle(pacer));
  return situation;
}

Result<std::string> AskBerth(const SourceOptions& options, std::string_view method, std::string_view path,
                             std::string body) {
  client::ServerAccess access =
      BERTH_TRY(client::FindServer(options.kubeconfig, options.access, client::ClientEnvironment::OfProcess()));
  client::RestRequest request;
  request.method = method;
  const size_t question = path.find('?');
  request.path = fmt::format("/berth/v1/{}", path.substr(0, question));
  if (question != path.npos) request.query = path.substr(question + 1);
  if (!body.empty()) request.content_type = client::kJson;
  request.body = std::move(body);
  request.timeout = kAnswerTimeout;
  return app::AskServer(std::move(access), "berth-ask", std::move(request));
}

Result<std::string> Formatted(const SourceOptions& options, const std::string& json) {
  if (options.output != "yaml") return json + "\n";
  const api::Document document = BERTH_TRY(api::ParseJson(json));
  return api::ToYaml(document.root());
}

Progress::Progress() : is_shown_(isatty(STDERR_FILENO) != 0), begin_millis_(NowMillis()) {}

Progress::~Progress() {
  if (was_shown_) fmt::print(stderr, "\r\033[K");
}

Result<void> Progress::Pause() {
  constexpr uint64_t kLookEvery = 1024;
  constexpr int64_t kSilenceMillis = 1000;
  if (!is_shown_ || ++steps_ % kLookEvery != 0 || NowMillis() - begin_millis_ < kSilenceMillis) return {};
  was_shown_ = true;
  fmt::print(stderr, "\r\033[K{} steps", steps_);
  return {};
}

}  // namespace berth::ask
