// SPDX-License-Identifier: Apache-2.0
#include "client/request/connection.h"

#include <fmt/format.h>

#include <utility>

#include "runtime/files.h"
#include "telemetry/log.h"

namespace berth::client {

namespace {

constexpr Duration kFileCheckInterval = Minutes(1);

Result<void> LoadInto(std::string& pem, const std::string& file) {
  // What stands in the kubeconfig itself goes before a file.
  if (file.empty() || !pem.empty()) return {};
  pem = BERTH_TRY(runtime::ReadFile(file));
  // Nobody names a file in order to trust the system's authorities, or to show no certificate.
  if (pem.empty()) return Invalid(fmt::format("{} is empty", file));
  return {};
}

bool AreEqual(const net::TlsClientOptions& a, const net::TlsClientOptions& b) {
  return a.ca_pem == b.ca_pem && a.certificate_pem == b.certificate_pem && a.key_pem == b.key_pem;
}

}  // namespace

Connection::Connection(net::EventLoop& loop, ServerAccess access)
    : access_(std::move(access)),
      rotation_(loop, {.delay = runtime::Every(kFileCheckInterval)}, [this] { CheckFiles(); }),
      runner_([&loop](runtime::Timers::Work work) { loop.Post(std::move(work)); }),
      credentials_(access_.make_credentials(
          CredentialTools{loop, runner_, [this](const ClientIdentity& identity) { OnIdentity(identity); }})) {}

Result<std::unique_ptr<Connection>> Connection::Create(net::EventLoop& loop, ServerAccess access) {
  std::unique_ptr<Connection> connection(new Connection(loop, std::move(access)));
  connection->tls_ = BERTH_TRY(connection->LoadTls());
  net::HttpClientOptions options;
  options.endpoint = connection->access_.endpoint;
  options.proxy = connection->access_.proxy;
  options.tls = connection->tls_;
  connection->http_ = BERTH_TRY(net::HttpClient::Create(loop, std::move(options)));
  const ServerAccess& made = connection->access_;
  bool has_files = !made.ca_file.empty() || !made.certificate_file.empty() || !made.key_file.empty();
  if (has_files) connection->rotation_.Start();
  return connection;
}

Result<net::TlsClientOptions> Connection::LoadTls() const {
  net::TlsClientOptions tls = access_.tls;
  BERTH_CHECK_OK(LoadInto(tls.ca_pem, access_.ca_file));
  BERTH_CHECK_OK(LoadInto(tls.certificate_pem, access_.certificate_file));
  BERTH_CHECK_OK(LoadInto(tls.key_pem, access_.key_file));
  return tls;
}

void Connection::CheckFiles() {
  Result<net::TlsClientOptions> tls = LoadTls();
  if (!tls) {
    telemetry::LogError(tls.error(), "Failed to load certificates of a client", "server", access_.url);
  } else if (!AreEqual(*tls, tls_)) {
    SetTls(*std::move(tls));
  }
}

void Connection::OnIdentity(const ClientIdentity& identity) {
  // For LoadTls, which goes on reading the other files.
  access_.tls.certificate_pem = identity.certificate_pem;
  access_.tls.key_pem = identity.key_pem;
  net::TlsClientOptions tls = tls_;
  tls.certificate_pem = identity.certificate_pem;
  tls.key_pem = identity.key_pem;
  SetTls(std::move(tls));
}

void Connection::SetTls(net::TlsClientOptions tls) {
  Result<void> set = http_->SetTls(tls);
  if (!set) {
    // A certificate and a key that are being replaced one after the other fit together next time.
    telemetry::LogError(set.error(), "Failed to use new certificates of a client", "server", access_.url);
    return;
  }
  tls_ = std::move(tls);
}

}  // namespace berth::client
