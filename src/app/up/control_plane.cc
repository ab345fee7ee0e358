// SPDX-License-Identifier: Apache-2.0
#include "app/up/control_plane.h"

#include <fmt/format.h>

#include <algorithm>

#include "app/command_line/file_limit.h"
#include "app/command_line/random_number.h"
#include "app/scheduler/core_questions.h"
#include "app/up/salvage_report.h"
#include "net/address.h"
#include "net/certificate_names.h"
#include "runtime/files.h"
#include "runtime/with_file.h"
#include "server/access/bootstrap_policy.h"
#include "server/nodes/node_shapes.h"
#include "server/objects/api_endpoints.h"
#include "server/objects/bootstrap.h"
#include "server/store/dump.h"
#include "web/latency_figures.h"
#include "web/pages.h"

namespace berth::up {
namespace {

constexpr size_t kDumpMax = size_t{1} << 31;  // What the parsers take.
constexpr Duration kStopGrace = Milliseconds(200);
// Those who delete a pod that runs can see it go.
constexpr Duration kPodsStop = Milliseconds(250);
constexpr Duration kSyncPeriod = Seconds(1);

// What is said of a body that is larger.
std::string TooLarge(uint64_t limit) {
  return server::TooLarge(fmt::format("limit is {}", limit)).error().ToJson().ToText();
}

// REQUIRES: it is an address.
bool IsLocal(const std::string& address) { return net::IsLoopback(*net::ParseAddress(address, 0)); }

// An address on which a server that listens on `address` is reached from this machine.
std::string ReachableAddress(const std::string& address) {
  const std::string text = net::AddressText(*net::ParseAddress(address, 0));
  if (text == "0.0.0.0:0") return "127.0.0.1";
  return text == "[::]:0" ? "::1" : address;
}

// The certificates of a PEM text, in which a key may stand too.
std::string CertificatesOf(std::string_view pem) {
  constexpr std::string_view kBegin = "-----BEGIN CERTIFICATE-----";
  constexpr std::string_view kEnd = "-----END CERTIFICATE-----";
  std::string certificates;
  for (size_t begin = pem.find(kBegin); begin != pem.npos; begin = pem.find(kBegin)) {
    const size_t end = std::min(pem.find(kEnd, begin), pem.size() - kEnd.size()) + kEnd.size();
    certificates.append(pem.substr(begin, end - begin)).append("\n");
    pem.remove_prefix(end);
  }
  return certificates;
}

// Where pods come to life, their trees are wanted again soon, to bind them and to run them, with some thousand other
// pods in between.
server::Store::Options StoreOptions(const Options& options) {
  server::Store::Options store;
  if (options.runs_cluster) store.fresh_bytes_max = size_t{32} << 20;
  return store;
}

}  // namespace

void QuestionHandler::OnRequest(net::ServerRequest request, net::Responder responder) {
  const auto kept = std::make_shared<net::Responder>(std::move(responder));
  api_.Handle(request, scheduler_app::Peer::Of(kept),
              [kept](scheduler_app::Answer answer) { scheduler_app::SendAnswer(std::move(answer), std::move(*kept)); });
}

void PageHandler::OnRequest(net::ServerRequest request, net::Responder responder) {
  web::PageAnswer page = web::IsForHome(request) ? web::SendToDashboard() : web::AnswerPage(request);
  page.headers.push_back({"Cache-Control", "no-cache"});
  responder.Send(page.status, std::move(page.headers), std::move(page.body));
}

ControlPlane::ControlPlane(net::EventLoop& loop, const Options& options)
    : loop_(loop),
      options_(options),
      world_(loop, app::RandomNumber(),
             {.gates = options.gates.scheduler,
              .store = StoreOptions(options),
              .access = options.access,
              .background = &loop.background()}),
      sync_(loop, {.delay = runtime::Every(kSyncPeriod)}, [this] { SyncJournal(); }),
      front_(world_.api()),
      snapshots_(world_.objects()),
      webhooks_(loop) {
  front_.Mount(SnapshotHandler::Takes, snapshots_);
}

Result<std::unique_ptr<ControlPlane>> ControlPlane::Create(net::EventLoop& loop, const Options& options) {
  std::unique_ptr<ControlPlane> plane(new ControlPlane(loop, options));
  BERTH_CHECK_OK(plane->OpenJournal());
  // Nobody is served before the loop runs, but the objects say which port it is.
  BERTH_CHECK_OK(plane->Listen());
  BERTH_CHECK_OK(plane->Fill());
  BERTH_CHECK_OK(plane->StartCluster());
  plane->world_.objects().webhooks().SetCaller(plane->webhooks_);
  return plane;
}

Result<void> ControlPlane::Listen() {
  if (!IsLocal(options_.listen) && (!options_.access.asks_who() || options_.tls_cert_file.empty())) {
    return Invalid(
        fmt::format("--listen {}: others can reach this address, so --token, --tls-cert-file and "
                    "--tls-private-key-file are needed",
                    options_.listen));
  }
  net::HttpServerOptions http;
  http.address = options_.listen;
  http.port = options_.port;
  http.too_large_json = TooLarge;
  // Questions may be larger than objects, once it is known who asks.
  http.answers_head = [](const net::ServerRequest& head) {
    return head.target.starts_with(scheduler_app::kBerthApiRoot);
  };
  // Every watch has a connection of its own. Some files are for the journal and the like.
  http.connections_max = std::min(http.connections_max, app::RaiseFileLimit() * 7 / 8);
  std::vector<std::string> hosts = options_.allowed_hosts;
  hosts.push_back(options_.listen);
  if (!options_.tls_cert_file.empty()) {
    http.tls.emplace();
    http.tls->certificate_pem = BERTH_TRY(runtime::ReadFile(options_.tls_cert_file));
    http.tls->key_pem = BERTH_TRY(runtime::ReadFile(options_.tls_key_file));
    http.tls->request_client_certificate = options_.access.knows_certificates;
    http.tls->client_ca_pem = options_.client_ca_pem;
    Result<std::vector<std::string>> names = net::CertificateNames(http.tls->certificate_pem);
    if (!names) return Fail(names.error().code, options_.tls_cert_file + ": " + names.error().message);
    certificate_pem_ = CertificatesOf(http.tls->certificate_pem);
    certificate_names_ = *std::move(names);
    hosts.insert(hosts.end(), certificate_names_.begin(), certificate_names_.end());
  }
  front_.SetHosts(hosts);
  Result<std::unique_ptr<net::HttpServer>> server = net::HttpServer::Listen(loop_, http, front_);
  if (!server && !options_.is_port_given) {
    // Somebody else has the usual port.
    http.port = 0;
    server = net::HttpServer::Listen(loop_, http, front_);
  }
  http_ = BERTH_TRY(std::move(server));
  return {};
}

Result<void> ControlPlane::OpenJournal() {
  if (options_.data_directory.empty()) return {};
  server::Journal::Options options;
  options.salvages = options_.salvages;
  options.define = [this] { world_.LoadDefinitions(); };
  options.on_trouble = [](const std::string& trouble) { fmt::print(stderr, "berth up: {}\n", trouble); };
  journal_ =
      BERTH_TRY(server::Journal::Open(options_.data_directory, world_.catalog(), world_.store(), std::move(options)));
  PrintLosses("berth up", options_.data_directory, journal_->restored());
  // Before anybody is answered.
  world_.store().Listen([this](const server::ChangePtr&) {
    if (const Result<void> flushed = journal_->Flush(); !flushed) FailJournal(flushed.error());
  });
  sync_.Start();
  return {};
}

void ControlPlane::SyncJournal() {
  const Result<void> synced = journal_->Sync();
  if (synced) return;
  sync_.Stop();
  FailJournal(synced.error());
}

// What was answered could no longer be kept.
void ControlPlane::FailJournal(const Error& error) {
  if (failure_) return;
  failure_ = error;
  loop_.Stop();
}

Result<void> ControlPlane::Fill() {
  const bool is_new = world_.store().total_count() == 0;
  if (!options_.import_file.empty() && !options_.imports_over && !is_new) {
    return Invalid(
        fmt::format("--import {}: {} has objects already, and importing would undo what was done to them since. Leave "
                    "--import out to go on with them, or import over them with --import-over",
                    options_.import_file, options_.data_directory));
  }
  // Read before anything is made: one that cannot be taken leaves nothing behind, and can be mended and tried again.
  std::optional<server::Dump> dump;
  if (!options_.import_file.empty()) dump = BERTH_TRY(ReadImport());
  if (!options_.devices_file.empty()) BERTH_CHECK_OK(world_.ReadDevices(options_.devices_file));
  if (!options_.behaviour_file.empty()) {
    const uint64_t seed = options_.seed ? *options_.seed : app::RandomNumber();
    BERTH_CHECK_OK(world_.ReadBehaviour(options_.behaviour_file, seed));
  }
  for (const std::string& problem : server::CreateInitialObjects(world_.objects(), port())) {
    fmt::print(stderr, "berth up: {}\n", problem);
  }
  BERTH_CHECK_OK(StartAccess());
  if (dump) BERTH_CHECK_OK(Import(*std::move(dump)));
  server::PublishApi(world_.objects(), ReachableAddress(options_.listen), port());
  if (!options_.runs_cluster) return {};
  // The certificate is all that pods can know the server by.
  server::CreateNamespaceDefaults(world_.objects(), certificate_pem_);
  // Whoever deleted it from a directory that is kept does not want it back.
  if (is_new) server::CreateStorageClass(world_.objects());
  BERTH_CHECK_OK(MakeNodes());
  return world_.MakeDeviceObjects();
}

Result<void> ControlPlane::StartAccess() {
  if (options_.access.asks_roles) {
    const server::Outcome<void> made = server::CreateBootstrapPolicy(world_.objects());
    if (!made) return Invalid("the roles of a new cluster could not be made: " + made.error().message);
  }
  world_.api().access().Start();
  return {};
}

Result<server::Dump> ControlPlane::ReadImport() const {
  const std::string text = BERTH_TRY(runtime::ReadFile(options_.import_file, kDumpMax));
  Result<server::Dump> dump = server::ReadDump(world_.catalog(), text);
  if (!dump) return Fail(dump.error().code, options_.import_file + ": " + dump.error().message);
  return dump;
}

Result<void> ControlPlane::Import(server::Dump dump) {
  const auto checked = [this](const server::Outcome<void>& loaded) -> Result<void> {
    if (loaded) return {};
    return Invalid(options_.import_file + ": " + loaded.error().message);
  };
  for (const std::string& name : dump.namespaces)
    BERTH_CHECK_OK(checked(server::CreateNamespace(world_.objects(), name)));
  for (server::Dump::Entry& entry : dump.objects) {
    BERTH_CHECK_OK(checked(world_.objects().Restore(*entry.resource, std::move(entry.object))));
  }
  if (!dump.skipped.empty()) {
    // What was left out may be of kinds that the dump itself defines, which are served by now.
    server::Dump again = BERTH_TRY(ReadImport());
    for (server::Dump::Entry& entry : again.objects) {
      if (entry.resource->custom == nullptr) continue;
      BERTH_CHECK_OK(checked(world_.objects().Restore(*entry.resource, std::move(entry.object))));
    }
    dump.skipped = std::move(again.skipped);
  }
  for (const std::string& skipped : dump.skipped) {
    fmt::print(stderr, "berth up: {}: left out, its kind is not served: {}\n", options_.import_file, skipped);
  }
  return {};
}

Result<void> ControlPlane::MakeNodes() {
  const server::Resource& nodes = world_.catalog().Get("", "nodes");
  const bool is_asked = options_.are_nodes_given || !options_.nodes_file.empty();
  // Whoever brought nodes along does not want others.
  if (!is_asked && world_.store().Count(nodes) > 0) return {};
  std::vector<server::NodeShape> shapes = server::DefaultShapes(options_.nodes);
  if (!options_.nodes_file.empty()) {
    const std::string text = BERTH_TRY(runtime::ReadFile(options_.nodes_file));
    Result<std::vector<server::NodeShape>> parsed = server::ParseShapes(text);
    if (!parsed) return Fail(parsed.error().code, runtime::WithFile(options_.nodes_file, parsed.error().message));
    shapes = std::move(*parsed);
  }
  for (server::Json& node : server::MakeNodes(shapes, loop_.WallNow())) {
    if (world_.store().Find(nodes, "", node["metadata"]["name"].text()) != nullptr) continue;
    const server::Outcome<void> made = world_.objects().Restore(nodes, std::move(node));
    if (!made) return Invalid(made.error().message);
  }
  return {};
}

Result<void> ControlPlane::StartCluster() {
  if (options_.runs_cluster) world_.Start({.root_ca = certificate_pem_, .lives = {.stop = kPodsStop}});
  if (options_.runs_scheduler) {
    scheduler_ = BERTH_TRY(EmbeddedScheduler::Create(loop_, world_, options_));
    world_.api().AddMetrics(scheduler_->metrics());
    scheduler_->Start();
    live_ = std::make_unique<web::LiveFeed>(
        loop_, scheduler_app::LookOn(loop_, scheduler_->live()),
        [metrics = &scheduler_->scheduler_metrics()] { return web::LatencyFigures(*metrics); });
    auto access = scheduler_app::AccessTo(loop_, scheduler_->live(), options_.gates.scheduler);
    access.follow = [this](net::Responder viewer) { live_->Join(std::move(viewer)); };
    questions_ = std::make_unique<QuestionHandler>(loop_, std::move(access));
    const auto is_question = [](const net::ServerRequest& request) {
      return request.target.starts_with(scheduler_app::kBerthApiRoot);
    };
    const auto is_for_page = [](const net::ServerRequest& request) {
      return web::IsForPages(request) || web::IsForHome(request);
    };
    front_.Mount(is_question, *questions_);
    front_.Mount(is_for_page, pages_, true);
  }
  if (!options_.is_quiet) progress_ = std::make_unique<Progress>(world_.store(), world_.catalog(), loop_);
  return {};
}

std::string ControlPlane::dashboard_url() const { return url() + std::string(web::kDashboardRoot); }

std::string ControlPlane::url() const {
  return fmt::format("{}://{}", certificate_pem_.empty() ? "http" : "https",
                     net::JoinHostPort(ReachableAddress(options_.listen), port()));
}

Access ControlPlane::access() const {
  Access made{.server = url(), .ca_pem = certificate_pem_, .tls_server_name = {}, .token = options_.token};
  const std::string address = ReachableAddress(options_.listen);
  // A certificate that is not valid for the address is asked for by a name that it has.
  if (std::ranges::find(certificate_names_, address) == certificate_names_.end()) {
    const auto name = std::ranges::find_if(certificate_names_, [](std::string_view n) { return !n.starts_with("*."); });
    if (name != certificate_names_.end()) made.tls_server_name = *name;
  }
  return made;
}

size_t ControlPlane::node_count() const { return world_.store().Count(world_.catalog().Get("", "nodes")); }

void ControlPlane::Stop(std::move_only_function<void()> done) {
  auto close = [this, done = std::move(done)]() mutable {
    http_->Shutdown(kStopGrace, [this, done = std::move(done)]() mutable {
      if (journal_ != nullptr) {
        if (const Result<void> closed = journal_->Close(); !closed) failure_ = closed.error();
      }
      done();
    });
  };
  if (scheduler_ == nullptr) return close();
  scheduler_->Stop(std::move(close));
}

}  // namespace berth::up
