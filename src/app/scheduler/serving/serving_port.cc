// SPDX-License-Identifier: Apache-2.0
#include "app/scheduler/serving/serving_port.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <utility>

#include "app/command_line/file_limit.h"
#include "config/config.h"
#include "runtime/files.h"
#include "runtime/private_file.h"
#include "telemetry/log.h"
#include "web/live_feed.h"

namespace berth::scheduler_app {
namespace {

constexpr Duration kCertificatePeriod = Seconds(60);
constexpr size_t kConnectionsMax = 100;
constexpr std::string_view kWork = "DynamicServingCertificateController";

Result<net::KeyPair> ReadPair(const std::string& cert_file, const std::string& key_file) {
  net::KeyPair pair;
  pair.certificate_pem = BERTH_TRY(runtime::ReadFile(cert_file));
  pair.key_pem = BERTH_TRY(runtime::ReadFile(key_file));
  return pair;
}

// As Go writes it.
std::string AddressOf(const ServingOptions& options) {
  const bool is_v6 = options.bind_address.contains(':');
  const std::string host = is_v6 ? fmt::format("[{}]", options.bind_address) : options.bind_address;
  return fmt::format("{}:{}", host, options.secure_port);
}

}  // namespace

ServingParts PartsOf(net::EventLoop& loop, const Options& options, DelegatedAuth& auth, telemetry::Registry& metrics,
                     ServingHooks hooks) {
  using enum framework::Gate;
  return {.auth = auth,
          .metrics = metrics,
          .timers = loop,
          .healthz = std::move(hooks.healthz),
          .readyz = std::move(hooks.readyz),
          .configuration_json = config::ToJson(options.configuration),
          .flags = options.flags,
          .binary_version = options.reported_version.substr(options.reported_version.starts_with('v')),
          .emulation_version = options.emulation_version,
          .serves_profiling = options.configuration.enable_profiling,
          .serves_flagz = options.gates.Enabled(kComponentFlagz),
          .serves_statusz = options.gates.Enabled(kComponentStatusz),
          .is_leading = std::move(hooks.is_leading),
          .ask_pod_usage = std::move(hooks.ask_pod_usage),
          .core_access = std::move(hooks.core_access)};
}

// docs/limits.md adds up what all connections together can make the process keep.
net::HttpServerOptions ServingLimits(size_t files_max, size_t viewers_max) {
  net::HttpServerOptions limits;
  limits.answers_head = [](const net::ServerRequest&) { return true; };
  limits.header_bytes_max = 16 * 1024;
  limits.connections_max = std::clamp<size_t>(files_max / 8, 1, kConnectionsMax + viewers_max);
  limits.receive_buffer_bytes = 32 * 1024;
  limits.header_timeout = Seconds(10);
  limits.body_timeout = Seconds(10);
  limits.stall_timeout = Seconds(30);
  return limits;
}

Result<net::KeyPair> LoadServingCertificate(const ServingOptions& options, Time now) {
  if (!options.cert_file.empty()) return ReadPair(options.cert_file, options.key_file);
  if (options.cert_dir.empty()) return net::MakeSelfSigned(options.bind_address, {options.bind_address}, now);
  const std::string path = options.cert_dir + "/" + options.pair_name;
  if (Result<net::KeyPair> kept = ReadPair(path + ".crt", path + ".key")) return kept;
  net::KeyPair made = BERTH_TRY(net::MakeSelfSigned(options.bind_address, {options.bind_address}, now));
  std::error_code ignored;  // Writing tells.
  std::filesystem::create_directories(options.cert_dir, ignored);
  using std::filesystem::perms;
  BERTH_CHECK_OK(runtime::WritePrivateFile(path + ".crt", made.certificate_pem));
  // Unlike the key it is for everybody.
  std::filesystem::permissions(path + ".crt", perms::group_read | perms::others_read,
                               std::filesystem::perm_options::add, ignored);
  BERTH_CHECK_OK(runtime::WritePrivateFile(path + ".key", made.key_pem));
  return made;
}

ServingPort::ServingPort(net::EventLoop& loop, const Options& options, Clients clients, Metrics metrics, Hooks hooks)
    : loop_(loop),
      options_(options),
      metrics_(metrics.client),
      authentication_(options.authentication, clients.authentication, loop, [this] { ApplyTls(); }),
      auth_(options.authentication, options.authorization, authentication_, clients.authentication,
            clients.authorization, loop),
      handler_(PartsOf(loop, options, auth_, metrics.served, std::move(hooks))),
      certificate_check_(loop, {.delay = runtime::Every(kCertificatePeriod)}, [this] { CheckCertificate(); }) {
  // Nothing ever waits or stays undone.
  metrics_.workqueue_depth.With(kWork);
  metrics_.workqueue_retries.With(kWork);
  metrics_.workqueue_unfinished_work.With(kWork);
  metrics_.workqueue_longest_running_processor.With(kWork);
}

Result<std::unique_ptr<ServingPort>> ServingPort::Open(net::EventLoop& loop, const Options& options, Clients clients,
                                                       Metrics metrics, Hooks hooks,
                                                       std::move_only_function<void(Error)> on_failure) {
  std::unique_ptr<ServingPort> port(new ServingPort(loop, options, clients, metrics, std::move(hooks)));
  port->certificate_ = BERTH_TRY(LoadServingCertificate(options.serving, loop.WallNow()));
  const size_t viewers_max = options.serves_dashboard ? web::LiveFeed::kViewersMax : 0;
  net::HttpServerOptions server = ServingLimits(app::RaiseFileLimit(), viewers_max);
  server.address = options.serving.bind_address;
  server.port = static_cast<uint16_t>(options.serving.secure_port);
  server.reuse_port = options.serving.permit_port_sharing;
  server.tls = port->Tls();
  Result<std::unique_ptr<net::HttpServer>> listening = net::HttpServer::Listen(loop, std::move(server), port->handler_);
  if (!listening) {
    return Invalid(fmt::format("failed to create listener: failed to listen on {}: {}", AddressOf(options.serving),
                               listening.error().message));
  }
  port->server_ = std::move(*listening);
  port->ApplyTls();
  if (!options.serving.cert_file.empty()) port->certificate_check_.StartLater();
  port->authentication_.Start([on_failure = std::move(on_failure)](Result<void> started) mutable {
    if (!started) on_failure(started.error());
  });
  return port;
}

net::TlsServerOptions ServingPort::Tls() const {
  net::TlsServerOptions tls;
  tls.certificate_pem = certificate_.certificate_pem;
  tls.key_pem = certificate_.key_pem;
  tls.request_client_certificate = true;
  tls.client_ca_pem = authentication_.client_ca_pem();
  tls.front_proxy_ca_pem = authentication_.front_proxy().ca_pem;
  tls.min_version = options_.serving.min_tls_version;
  tls.cipher_suites = options_.serving.cipher_suites;
  return tls;
}

void ServingPort::ApplyTls() {
  if (!server_) return;
  const Time start = loop_.Now();
  metrics_.workqueue_adds.With(kWork).Add();
  metrics_.workqueue_queue_duration.With(kWork).Observe(0);
  if (const Result<void> applied = server_->SetTls(Tls()); !applied) {
    telemetry::LogError(applied.error(), "Failed to use new certificates on the serving port");
  }
  metrics_.workqueue_work_duration.With(kWork).Observe(static_cast<double>((loop_.Now() - start).nanos) / 1e9);
}

void ServingPort::CheckCertificate() {
  Result<net::KeyPair> pair = LoadServingCertificate(options_.serving, loop_.WallNow());
  if (!pair) return telemetry::LogError(pair.error(), "Failed to read the certificate of the serving port");
  if (pair->certificate_pem == certificate_.certificate_pem && pair->key_pem == certificate_.key_pem) return;
  certificate_ = std::move(*pair);
  ApplyTls();
}

}  // namespace berth::scheduler_app
