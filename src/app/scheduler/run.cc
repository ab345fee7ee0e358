// SPDX-License-Identifier: Apache-2.0
#include "app/scheduler/run.h"

#include <fmt/format.h>
#include <signal.h>
#include <unistd.h>

#include <array>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "app/command_line/file_limit.h"
#include "app/command_line/random_number.h"
#include "app/command_line/version.h"
#include "app/scheduler/config_reload.h"
#include "app/scheduler/core_questions.h"
#include "app/scheduler/flags/versions.h"
#include "app/scheduler/live_scheduler.h"
#include "app/scheduler/pod_usage.h"
#include "app/scheduler/policy_config_map.h"
#include "app/scheduler/scheduler_telemetry.h"
#include "app/scheduler/serving/plain_port.h"
#include "app/scheduler/serving/serving_port.h"
#include "base/uuid.h"
#include "client/orders/extender_caller.h"
#include "client/request/connection.h"
#include "record/settings.h"
#include "runtime/loop.h"
#include "scheduler/inspection.h"
#include "telemetry/log.h"
#include "web/latency_figures.h"

namespace berth::scheduler_app {
namespace {

// What API servers see; upstream's own, because audit rules and dashboards know it.
std::string UserAgent() {
#if defined(__aarch64__)
  constexpr std::string_view kArchitecture = "arm64";
#else
  constexpr std::string_view kArchitecture = "amd64";
#endif
  return fmt::format("kube-scheduler/{} (linux/{}) kubernetes/$Format", kKubernetesVersion, kArchitecture);
}

// How long requests on the serving port may go on after the end.
constexpr Duration kServingGrace = Seconds(2);

LiveScheduler::Identity MakeIdentity() {
  std::array<char, 256> name = {};
  if (gethostname(name.data(), name.size() - 1) != 0) name = {"localhost"};
  return {name.data(), MakeUuid(app::RandomNumber(), app::RandomNumber())};
}

void LogComparison(std::string_view what, const scheduler::Mismatch& mismatch) {
  telemetry::LogInfo(what, "missed", fmt::format("{}", fmt::join(mismatch.missed, ",")), "redundant",
                     fmt::format("{}", fmt::join(mismatch.redundant, ",")));
}

// One life of the scheduler. Its parts stand in the order in which they need each other.
class Process {
 public:
  Process(Options options, telemetry::Registry::Options registry_options)
      : options_(std::move(options)),
        telemetry_(std::move(registry_options), options_),
        flush_(loop_, {.delay = runtime::Every(options_.logging.flush_frequency)}, telemetry::FlushLog) {}

  // Runs until it is stopped; an error means that it could not start, or could not go on.
  Result<int> Run();

 private:
  struct Server {
    std::unique_ptr<client::Connection> connection;
    std::optional<client::RestClient> client;
  };

  Result<void> Connect();
  // Waits for it, if there is one to be read.
  Result<void> ReadPolicy();
  Result<void> MakeScheduler();
  void FollowConfiguration();
  Result<void> Serve();
  ServingHooks MakeHooks();
  // Asked about who may use the serving port. Empty without a kubeconfig outside of a cluster.
  Result<void> ConnectForServing(const std::string& kubeconfig, Server& server);
  void HandleSignals();
  void LogState();
  void OnEnd(LiveScheduler::End end);

  Options options_;  // They change no more once a policy has been read.
  net::EventLoop loop_;
  SchedulerTelemetry telemetry_;
  runtime::Loop flush_;
  std::unique_ptr<client::Connection> connection_;
  std::optional<client::RestClient> main_client_;
  std::optional<client::RestClient> event_client_;
  std::optional<client::RestClient> lease_client_;
  Server authentication_;
  Server authorization_;
  std::unique_ptr<client::ExtenderCaller> extenders_;
  std::unique_ptr<LiveScheduler> scheduler_;
  std::unique_ptr<web::LiveFeed> live_;          // Null: there is no dashboard.
  std::unique_ptr<ConfigReload> config_reload_;  // Null: changes of the file are ignored.
  std::unique_ptr<ServingPort> port_;
  std::vector<std::unique_ptr<PlainPort>> plain_ports_;
  std::optional<Error> failure_;
  int exit_code_ = 0;
};

Result<void> Process::Connect() {
  const framework::ClientConnectionConfiguration& settings = options_.configuration.client_connection;
  client::ServerAccess access =
      BERTH_TRY(client::FindServer(settings.kubeconfig, options_.master, client::ClientEnvironment::OfProcess()));
  connection_ = BERTH_TRY(client::Connection::Create(loop_, std::move(access)));
  const auto make = [&](std::optional<client::RestClient>& made, std::string_view suffix) {
    made.emplace(connection_->transport(), loop_, connection_->credentials(),
                 client::RestClient::Options{.server = connection_->url(),
                                             .user_agent = fmt::format("{}/{}", UserAgent(), suffix),
                                             .qps = settings.qps,
                                             .burst = settings.burst},
                 &telemetry_.requests);
  };
  make(main_client_, "scheduler");
  make(event_client_, "scheduler");
  make(lease_client_, "leader-election");
  return {};
}

Result<void> Process::ReadPolicy() {
  const auto* where = std::get_if<config::PolicyConfigMap>(&options_.legacy.source);
  if (where == nullptr) return {};
  Result<std::string> text;
  ReadPolicyConfigMap(*main_client_, *where, [&](Result<std::string> read) {
    text = std::move(read);
    loop_.Stop();
  });
  loop_.Run();
  return ApplyPolicy(BERTH_TRY(std::move(text)), options_);
}

Result<void> Process::ConnectForServing(const std::string& kubeconfig, Server& server) {
  const auto environment = client::ClientEnvironment::OfProcess();
  Result<client::ServerAccess> access =
      kubeconfig.empty() ? client::InClusterAccess(environment) : client::FindServer(kubeconfig, "", environment);
  if (!access && kubeconfig.empty()) return {};
  if (!access) return std::unexpected(access.error());
  server.connection = BERTH_TRY(client::Connection::Create(loop_, std::move(*access)));
  // As upstream limits its reviews: they are answered for people who wait, but anybody can have them asked.
  server.client.emplace(server.connection->transport(), loop_, server.connection->credentials(),
                        client::RestClient::Options{
                            .server = server.connection->url(), .user_agent = UserAgent(), .qps = 200, .burst = 400},
                        &telemetry_.requests);
  return {};
}

Result<void> Process::MakeScheduler() {
  record::Settings settings{options_.configuration, options_.gates, app::RandomNumber(), loop_.Now()};
  if (options_.legacy.in_force()) settings.policy_release = options_.legacy.policy.compat;
  std::unique_ptr<scheduler::Core> core = BERTH_TRY(record::MakeCore(settings, *options_.plugins));
  core->set_observer(&telemetry_.core_observer);
  core->set_record_limits({.bytes = static_cast<size_t>(options_.decision_record_bytes)});
  extenders_ = BERTH_TRY(client::ExtenderCaller::Create(loop_, options_.configuration.extenders,
                                                        client::ClientEnvironment::OfProcess().proxies));
  std::unique_ptr<Recording> recording;
  if (!options_.record_file.empty()) {
    recording = BERTH_TRY(Recording::Create(options_.record_file, options_.record_limit_bytes, settings));
  }
  scheduler_ = std::make_unique<LiveScheduler>(
      loop_, options_, LiveScheduler::Clients{*main_client_, *event_client_, *lease_client_, extenders_.get()},
      MakeIdentity(), std::move(core), std::move(recording), telemetry_,
      [this](LiveScheduler::End end) { OnEnd(end); });
  return {};
}

void Process::FollowConfiguration() {
  if (!options_.reload_config) return;
  config_reload_ = std::make_unique<ConfigReload>(
      loop_, ConfigReload::Parts{
                 .path = options_.config_file,
                 .configuration = options_.configuration,
                 .plugins = *options_.plugins,
                 .gates = options_.gates,
                 .load = options_.load_configuration,
                 .apply =
                     [this](const framework::SchedulerConfiguration& configuration) {
                       telemetry_.scheduler.config_reloads.With("applied").Add();
                       scheduler_->Reconfigure(configuration);
                       scheduler_->Tell("Normal", "ConfigurationChanged", "the changed configuration file is in force");
                     },
                 .refuse =
                     [this](const Error& error) {
                       telemetry_.scheduler.config_reloads.With("refused").Add();
                       scheduler_->Tell("Warning", "ConfigurationRefused",
                                        "the changed configuration file is refused: " + error.message);
                     },
             });
  config_reload_->Start();
}

ServingHooks Process::MakeHooks() {
  ServingHooks hooks;
  if (options_.configuration.leader_election.leader_elect) {
    const HealthCheck lease{"leaderElection", [this]() -> Result<void> {
                              const std::optional<std::string> problem = scheduler_->LeaseProblem();
                              if (problem) return Invalid(*problem);
                              return {};
                            }};
    hooks.healthz.push_back(lease);
    hooks.readyz.push_back(lease);
  }
  hooks.readyz.push_back({"shutdown", [this]() -> Result<void> {
                            if (scheduler_->is_stopping()) return Invalid("process is shutting down");
                            return {};
                          }});
  hooks.readyz.push_back({"sched-handler-sync", [this]() -> Result<void> {
                            if (!scheduler_->is_synced()) return Invalid("handlers are not fully synchronized");
                            return {};
                          }});
  hooks.is_leading = [this] { return scheduler_->is_leading(); };
  hooks.ask_pod_usage = [this](ServingParts::OnUsage done) { AskPodUsage(loop_, *scheduler_, std::move(done)); };
  hooks.core_access = AccessTo(loop_, *scheduler_, options_.gates);
  if (live_ != nullptr) hooks.core_access.follow = [this](net::Responder viewer) { live_->Join(std::move(viewer)); };
  return hooks;
}

Result<void> Process::Serve() {
  if (options_.serves_dashboard) {
    live_ = std::make_unique<web::LiveFeed>(loop_, LookOn(loop_, *scheduler_),
                                            [this] { return web::LatencyFigures(telemetry_.scheduler); });
  }
  for (const PlainServing& where : options_.plain_serving) {
    plain_ports_.push_back(BERTH_TRY(PlainPort::Open(loop_, options_, where, telemetry_.registry, MakeHooks())));
  }
  if (options_.serving.secure_port == 0) return {};
  BERTH_CHECK_OK(ConnectForServing(options_.authentication.kubeconfig, authentication_));
  BERTH_CHECK_OK(ConnectForServing(options_.authorization.kubeconfig, authorization_));
  const auto pointer = [](Server& server) { return server.client ? &*server.client : nullptr; };
  port_ = BERTH_TRY(ServingPort::Open(loop_, options_, {pointer(authentication_), pointer(authorization_)},
                                      {telemetry_.registry, telemetry_.client}, MakeHooks(), [this](Error error) {
                                        failure_ = std::move(error);
                                        loop_.Stop();
                                      }));
  telemetry::LogInfo("Serving securely", "address", options_.serving.bind_address, "port", port_->port());
  return {};
}

void Process::HandleSignals() {
  const auto stop = [this] {
    if (scheduler_->is_stopping()) _exit(1);  // The second one: somebody is in a hurry.
    scheduler_->Stop();
  };
  loop_.OnSignal(SIGTERM, stop);
  loop_.OnSignal(SIGINT, stop);
  loop_.OnSignal(SIGUSR2, [this] { LogState(); });
}

void Process::LogState() {
  scheduler_->Ask([nodes = scheduler_->NodeNames()](const scheduler::Core& core) {
    const scheduler::Dump dump = scheduler::MakeDump(core);
    telemetry::LogInfo("Dump of cached NodeInfo", "nodes", dump.nodes);
    telemetry::LogInfo("Dump of scheduling queue", "summary", dump.queue_summary, "pods", dump.queue_pods);
    LogComparison("Cache comparer: nodes", scheduler::CompareNodes(core, nodes));
    LogComparison("Cache comparer: pods", scheduler::ComparePods(core));
  });
}

void Process::OnEnd(LiveScheduler::End end) {
  if (end == LiveScheduler::End::kLeaseLost) {
    telemetry::LogError("Leaderelection lost");
    exit_code_ = 1;
    return loop_.Stop();
  }
  if (!options_.configuration.leader_election.leader_elect) {
    failure_ = Error{Code::kInternal, "finished without leader elect"};
  }
  if (port_ == nullptr) return loop_.Stop();
  port_->Shutdown(kServingGrace, [this] { loop_.Stop(); });
}

Result<int> Process::Run() {
  app::RaiseFileLimit();
  BERTH_CHECK_OK(Connect());
  telemetry::LogInfo("Starting Berth", "version", app::Version(), "decisionsOf",
                     fmt::format("kube-scheduler {}", kKubernetesVersion), "server", connection_->url());
  BERTH_CHECK_OK(ReadPolicy());
  BERTH_CHECK_OK(MakeScheduler());
  BERTH_CHECK_OK(Serve());
  HandleSignals();
  if (options_.logging.split_stream && options_.logging.flush_frequency.nanos > 0) flush_.Start();
  scheduler_->Start();
  FollowConfiguration();
  loop_.Run();
  if (failure_) return std::unexpected(*failure_);
  return exit_code_;
}

}  // namespace

int RunScheduler(const Options& options) {
  Result<telemetry::Registry::Options> registry_options = RegistryOptionsFor(options.metrics);
  Result<int> exit_code = 1;
  if (registry_options) {
    Process process(options, std::move(*registry_options));
    exit_code = process.Run();
  } else {
    exit_code = std::unexpected(registry_options.error());
  }
  if (!exit_code) telemetry::LogError(exit_code.error(), "command failed");
  telemetry::FlushLog();
  return exit_code.value_or(1);
}

}  // namespace berth::scheduler_app
