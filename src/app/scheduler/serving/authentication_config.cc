// SPDX-License-Identifier: Apache-2.0
#include "app/scheduler/serving/authentication_config.h"

#include <fmt/format.h>

#include <utility>

#include "api/decode/field_reader.h"
#include "api/document/value.h"
#include "api/parts/labels.h"
#include "net/tls.h"
#include "runtime/files.h"
#include "telemetry/log.h"

namespace berth::scheduler_app {
namespace {

constexpr std::string_view kConfigMap = "extension-apiserver-authentication";
constexpr std::string_view kNamespace = "kube-system";
constexpr Duration kPeriod = Seconds(60);

// The bundle, if it holds certificates; `from` is where it was read.
Result<std::string> Checked(std::string_view from, std::string bundle) {
  const Result<void> checked = net::CheckCertificates(bundle);
  if (!checked) return Invalid(fmt::format("{}: {}", from, checked.error().message));
  return bundle;
}

Result<std::string> ReadBundle(const std::string& file) { return Checked(file, BERTH_TRY(runtime::ReadFile(file))); }

// A value of the ConfigMap that is itself a list in JSON; absent reads as empty.
Result<std::vector<std::string>> ParseList(const std::map<std::string, std::string>& data, const std::string& key) {
  std::vector<std::string> list;
  const auto text = data.find(key);
  if (text == data.end() || text->second.empty()) return list;
  const api::Document document = BERTH_TRY(api::ParseJson(fmt::format("{{\"list\":{}}}", text->second)));
  api::FieldReader reader(document.root());
  reader.Read("list", list);
  if (!reader.ok()) return std::unexpected(reader.error(key));
  return list;
}

void WarnOfMissingKubeconfig(std::string_view what, std::string_view consequence) {
  telemetry::LogWarning(fmt::format(
      "No authentication-kubeconfig provided in order to lookup {} in configmap/{} in {}, so {} won't work.", what,
      kConfigMap, kNamespace, consequence));
}

}  // namespace

AuthenticationConfig::AuthenticationConfig(const AuthenticationOptions& options, client::RestClient* client,
                                           runtime::Timers& timers, std::function<void()> on_change)
    : options_(options),
      client_(client),
      on_change_(std::move(on_change)),
      again_(timers, {.delay = runtime::Every(kPeriod)}, [this] { ReadAgain(); }) {}

AuthenticationConfig::~AuthenticationConfig() {
  if (client_ != nullptr) client_->Cancel(call_);
}

bool AuthenticationConfig::LooksUpInCluster() const {
  const bool is_open = options_.client_ca_file.empty() || options_.request_header.client_ca_file.empty();
  return is_open && !options_.skip_lookup && client_ != nullptr;
}

void AuthenticationConfig::Start(std::move_only_function<void(Result<void>)> done) {
  if (Result<void> read = ReadFiles(); !read) return done(std::move(read));
  if (!options_.skip_lookup && client_ == nullptr) {
    if (options_.client_ca_file.empty()) WarnOfMissingKubeconfig("client-ca-file", "client certificate authentication");
    if (options_.request_header.client_ca_file.empty()) {
      WarnOfMissingKubeconfig("requestheader-client-ca-file", "request-header client certificate authentication");
    }
  }
  again_.StartLater();
  if (!LooksUpInCluster()) return done({});
  Lookup([this, done = std::move(done)](Result<void> found) mutable {
    if (!found && options_.request_header.client_ca_file.empty()) {
      if (!options_.tolerate_lookup_failure) {
        return done(Fail(Code::kInternal,
                         "unable to load configmap based request-header-client-ca-file: " + found.error().message));
      }
      telemetry::LogWarning("Error looking up in-cluster authentication configuration: " + found.error().message);
      telemetry::LogWarning(
          "Continuing without authentication configuration. This may treat all requests as anonymous.");
      telemetry::LogWarning(
          "To require authentication configuration lookup to succeed, set "
          "--authentication-tolerate-lookup-failure=false");
    }
    done({});
  });
}

Result<void> AuthenticationConfig::ReadFiles() {
  std::string client_ca = client_ca_pem_;
  FrontProxy front_proxy = front_proxy_;
  if (!options_.client_ca_file.empty()) client_ca = BERTH_TRY(ReadBundle(options_.client_ca_file));
  const RequestHeaderOptions& headers = options_.request_header;
  if (!headers.client_ca_file.empty()) {
    front_proxy = {.ca_pem = BERTH_TRY(ReadBundle(headers.client_ca_file)),
                   .allowed_names = headers.allowed_names,
                   .username_headers = headers.username_headers,
                   .uid_headers = headers.uid_headers,
                   .group_headers = headers.group_headers,
                   .extra_headers_prefixes = headers.extra_headers_prefixes};
  }
  Take(std::move(client_ca), std::move(front_proxy));
  return {};
}

void AuthenticationConfig::Take(std::string client_ca, FrontProxy front_proxy) {
  if (client_ca == client_ca_pem_ && front_proxy == front_proxy_) return;
  client_ca_pem_ = std::move(client_ca);
  front_proxy_ = std::move(front_proxy);
  on_change_();
}

void AuthenticationConfig::Lookup(std::move_only_function<void(Result<void>)> done) {
  call_ = client_->Send({.path = fmt::format("/api/v1/namespaces/{}/configmaps/{}", kNamespace, kConfigMap),
                         .query = {},
                         .content_type = {},
                         .body = {},
                         .timeout = Seconds(10)},
                        [this, done = std::move(done)](Result<client::RestAnswer> answer) mutable {
                          if (!answer) return done(std::unexpected(answer.error()));
                          if (!answer->ok()) return done(Fail(Code::kInternal, ErrorOf(*answer).message));
                          done(TakeConfigMap(answer->body));
                        });
}

Result<void> AuthenticationConfig::TakeConfigMap(const std::string& json) {
  const api::Document document = BERTH_TRY(api::ParseJson(json));
  std::map<std::string, std::string> data;
  const api::Value entries = document.root()["data"];
  for (size_t i = 0; i < entries.size(); ++i) data.emplace(entries.key(i), entries[i].text());

  std::string client_ca = client_ca_pem_;
  FrontProxy proxy = front_proxy_;
  if (options_.client_ca_file.empty() && data.contains("client-ca-file")) {
    client_ca = BERTH_TRY(Checked(kConfigMap, data["client-ca-file"]));
  }
  if (options_.request_header.client_ca_file.empty()) {
    proxy.ca_pem = data["requestheader-client-ca-file"];
    if (!proxy.ca_pem.empty()) BERTH_TRY(Checked(kConfigMap, proxy.ca_pem));
    proxy.allowed_names = BERTH_TRY(ParseList(data, "requestheader-allowed-names"));
    proxy.username_headers = BERTH_TRY(ParseList(data, "requestheader-username-headers"));
    proxy.uid_headers = BERTH_TRY(ParseList(data, "requestheader-uid-headers"));
    proxy.group_headers = BERTH_TRY(ParseList(data, "requestheader-group-headers"));
    proxy.extra_headers_prefixes = BERTH_TRY(ParseList(data, "requestheader-extra-headers-prefix"));
  }
  Take(std::move(client_ca), std::move(proxy));
  return {};
}

void AuthenticationConfig::ReadAgain() {
  if (const Result<void> read = ReadFiles(); !read)
    telemetry::LogError(read.error(), "Failed to read the CA of clients");
  if (!LooksUpInCluster()) return;
  Lookup([](Result<void> found) {
    if (!found) BERTH_LOG(2, "Failed to look up the authentication configuration", "err", found.error());
  });
}

}  // namespace berth::scheduler_app
