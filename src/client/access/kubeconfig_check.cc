// SPDX-License-Identifier: Apache-2.0
#include "client/access/kubeconfig_check.h"

#include <fmt/format.h>

#include "api/document/field_error.h"
#include "runtime/files.h"

namespace berth::client {

namespace {

using Errors = std::vector<std::string>;

void CheckReadable(Errors& errors, std::string_view what, const std::string& file, const std::string& name) {
  if (file.empty()) return;
  Result<std::string> text = runtime::ReadFile(file);
  if (!text)
    errors.push_back(fmt::format("unable to read {} {} for {} due to {}", what, file, name, text.error().message));
}

void CheckCertificate(Errors& errors, const std::string& name, const KubeconfigUser& user) {
  bool has_file = !user.client_certificate.empty();
  bool has_data = !user.client_certificate_data.empty();
  if (!has_file && !has_data) return;
  if (has_file && has_data) {
    errors.push_back(fmt::format(
        "client-cert-data and client-cert are both specified for {}. client-cert-data will override.", name));
  }
  if (!user.client_key.empty() && !user.client_key_data.empty()) {
    errors.push_back(
        fmt::format("client-key-data and client-key are both specified for {}; client-key-data will override", name));
  }
  if (user.client_key.empty() && user.client_key_data.empty()) {
    errors.push_back(fmt::format(
        "client-key-data or client-key must be specified for {} to use the clientCert authentication method.", name));
  }
  CheckReadable(errors, "client-cert", user.client_certificate, name);
  CheckReadable(errors, "client-key", user.client_key, name);
}

void CheckExec(Errors& errors, const std::string& name, const ExecConfig& exec) {
  auto require = [&](bool is_there, std::string_view what) {
    if (is_there) return;
    errors.push_back(fmt::format("{} must be specified for {} to use exec authentication plugin", what, name));
  };
  require(!exec.command.program.empty(), "command");
  require(!exec.api_version.empty(), "apiVersion");
  for (const auto& [variable, value] : exec.command.environment) require(!variable.empty(), "env variable name");
  require(!exec.interactive_mode.empty(), "interactiveMode");
  const std::string& mode = exec.interactive_mode;
  if (!mode.empty() && mode != "Never" && mode != "IfAvailable" && mode != "Always") {
    errors.push_back(fmt::format("invalid interactiveMode for {}: {}", name, api::GoQuote(mode)));
  }
}

Result<void> CheckProxy(const std::string& url) {
  size_t scheme_end = url.find("://");
  std::string scheme = scheme_end == std::string::npos ? "" : url.substr(0, scheme_end);
  if (scheme == "http" || scheme == "https" || scheme == "socks5") return {};
  return Invalid(fmt::format("unsupported scheme {}, must be http, https, or socks5", api::GoQuote(scheme)));
}

}  // namespace

Errors CheckUser(const std::string& name, const KubeconfigUser& user) {
  Errors errors;
  CheckCertificate(errors, name, user);
  if (user.exec && user.auth_provider) {
    errors.push_back(fmt::format("authProvider cannot be provided in combination with an exec plugin for {}", name));
  }
  if (user.exec) CheckExec(errors, name, *user.exec);
  if (!user.token.empty() && (!user.username.empty() || !user.password.empty())) {
    errors.push_back(fmt::format(
        "more than one authentication method found for {}; found [token basicAuth], only one is allowed", name));
  }
  if (user.as.user.empty() && !user.as.empty()) {
    errors.push_back(fmt::format("requesting uid, groups or user-extra for {} without impersonating a user", name));
  }
  return errors;
}

Errors CheckCluster(const std::string& name, const KubeconfigCluster& cluster) {
  if (cluster == KubeconfigCluster()) return {"cluster has no server defined"};
  Errors errors;
  if (cluster.server.empty()) {
    errors.push_back(name.empty() ? "default cluster has no server defined"
                                  : fmt::format("no server found for cluster {}", api::GoQuote(name)));
  }
  if (!cluster.proxy_url.empty()) {
    Result<void> proxy = CheckProxy(cluster.proxy_url);
    if (!proxy) {
      errors.push_back(fmt::format("invalid 'proxy-url' {} for cluster {}: {}", api::GoQuote(cluster.proxy_url),
                                   api::GoQuote(name), proxy.error().message));
    }
  }
  if (!cluster.certificate_authority.empty() && !cluster.certificate_authority_data.empty()) {
    errors.push_back(
        fmt::format("certificate-authority-data and certificate-authority are both specified for {}. "
                    "certificate-authority-data will override.",
                    name));
  }
  CheckReadable(errors, "certificate-authority", cluster.certificate_authority, name);
  return errors;
}

}  // namespace berth::client
