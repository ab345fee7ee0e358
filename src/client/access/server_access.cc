// SPDX-License-Identifier: Apache-2.0
#include "client/access/server_access.h"

#include <fmt/format.h>

#include <cstdlib>
#include <utility>

#include "api/document/field_error.h"
#include "api/document/json_writer.h"
#include "base/base64.h"
#include "base/error_counts.h"
#include "client/access/kubeconfig_check.h"
#include "runtime/files.h"
#include "telemetry/log.h"

namespace berth::client {

namespace {

std::string Variable(const char* name) {
  const char* value = std::getenv(name);
  return value ? value : "";
}

std::string EitherVariable(const char* upper, const char* lower) {
  std::string value = Variable(upper);
  return value.empty() ? Variable(lower) : value;
}

Error InvalidConfiguration(const std::vector<std::string>& errors) {
  return Error{Code::kInvalid, "invalid configuration: " + JoinErrors(errors)};
}

// The cluster and the user that are to be used.
struct Choice {
  std::string cluster_name;
  KubeconfigCluster cluster;
  std::string user_name;
  KubeconfigUser user;
};

template <class T>
T Lookup(const std::map<std::string, T>& items, const std::string& name) {
  auto found = items.find(name);
  return found == items.end() ? T() : found->second;
}

void Override(KubeconfigCluster& cluster, const AccessOverrides& overrides) {
  if (!overrides.server.empty()) {
    // The name in the certificate belonged to the other address.
    cluster.server = overrides.server;
    cluster.tls_server_name.clear();
  }
  if (!overrides.certificate_authority.empty() || overrides.insecure_skip_tls_verify) {
    cluster.certificate_authority = overrides.certificate_authority;
    cluster.certificate_authority_data.clear();
    cluster.insecure_skip_tls_verify = overrides.insecure_skip_tls_verify;
  }
}

Result<Choice> Choose(const Kubeconfig& kubeconfig, const AccessOverrides& overrides) {
  std::vector<std::string> errors;
  const std::string& context_name = overrides.context.empty() ? kubeconfig.current_context : overrides.context;
  if (!context_name.empty() && !kubeconfig.contexts.contains(context_name)) {
    errors.push_back("context was not found for specified context: " + context_name);
  }
  KubeconfigContext context = Lookup(kubeconfig.contexts, context_name);
  Choice choice;
  choice.cluster_name = context.cluster;
  choice.cluster = Lookup(kubeconfig.clusters, context.cluster);
  choice.user_name = context.user;
  choice.user = Lookup(kubeconfig.users, context.user);
  Override(choice.cluster, overrides);
  if (overrides.names_user()) {
    choice.user = {};
    choice.user.token_file = overrides.token_file;
    choice.user.client_certificate = overrides.client_certificate;
    choice.user.client_key = overrides.client_key;
  }

  std::vector<std::string> of_user = CheckUser(choice.user_name, choice.user);
  errors.insert(errors.end(), of_user.begin(), of_user.end());
  if (errors.empty() && choice.cluster == KubeconfigCluster()) {
    return Fail(Code::kNotFound, InvalidConfiguration({std::string(kEmptyConfiguration)}).message);
  }
  std::vector<std::string> of_cluster = CheckCluster(choice.cluster_name, choice.cluster);
  errors.insert(errors.end(), of_cluster.begin(), of_cluster.end());
  if (!errors.empty()) return std::unexpected(InvalidConfiguration(errors));
  return choice;
}

Result<std::string> ClusterInfoForExec(const ServerAccess& access, const KubeconfigCluster& cluster) {
  std::string ca = access.tls.ca_pem;
  if (ca.empty() && !access.ca_file.empty()) ca = BERTH_TRY(runtime::ReadFile(access.ca_file));
  api::JsonWriter json;
  json.BeginObject().Key("server").String(cluster.server);
  if (!cluster.tls_server_name.empty()) json.Key("tls-server-name").String(cluster.tls_server_name);
  if (cluster.insecure_skip_tls_verify) json.Key("insecure-skip-tls-verify").Bool(true);
  if (!ca.empty()) json.Key("certificate-authority-data").String(EncodeBase64(ca));
  if (!cluster.proxy_url.empty()) json.Key("proxy-url").String(cluster.proxy_url);
  if (cluster.disable_compression) json.Key("disable-compression").Bool(true);
  json.Key("config").Raw(cluster.exec_config_json.empty() ? "null" : cluster.exec_config_json).EndObject();
  return json.Take();
}

void SetTls(ServerAccess& access, const Choice& choice) {
  access.tls.server_name = choice.cluster.tls_server_name;
  access.tls.insecure_skip_verify = choice.cluster.insecure_skip_tls_verify;
  access.tls.ca_pem = choice.cluster.certificate_authority_data;
  access.ca_file = choice.cluster.certificate_authority;
  const KubeconfigUser& user = choice.user;
  if (user.client_certificate.empty() && user.client_certificate_data.empty()) return;
  access.tls.certificate_pem = user.client_certificate_data;
  access.tls.key_pem = user.client_key_data;
  access.certificate_file = user.client_certificate;
  access.key_file = user.client_key;
}

using MakeCredentials = std::function<std::unique_ptr<Credentials>(const CredentialTools&)>;

// A secret that is written down wins over a command.
Result<MakeCredentials> CredentialsOf(const ServerAccess& access, const Choice& choice) {
  const KubeconfigUser& user = choice.user;
  bool has_certificate = !user.client_certificate.empty() || !user.client_certificate_data.empty();
  if (user.auth_provider) {
    return Invalid(fmt::format("no Auth Provider found for name {}", api::GoQuote(*user.auth_provider)));
  }
  if (!user.token_file.empty()) {
    if (user.token.empty()) BERTH_TRY(runtime::ReadFile(user.token_file));
    return [path = user.token_file, token = user.token](const CredentialTools& tools) {
      return TokenFile(tools.timers, path, token);
    };
  }
  if (!user.token.empty()) return [token = user.token](const CredentialTools&) { return BearerToken(token); };
  if (!user.username.empty() || !user.password.empty()) {
    return
        [name = user.username, password = user.password](const CredentialTools&) { return BasicAuth(name, password); };
  }
  if (user.exec && !has_certificate) {
    ExecConfig exec = *user.exec;
    if (exec.api_version != "client.authentication.k8s.io/v1" &&
        exec.api_version != "client.authentication.k8s.io/v1beta1") {
      return Invalid(fmt::format("exec plugin: invalid apiVersion {}", api::GoQuote(exec.api_version)));
    }
    if (user.exec_wants_cluster_info) exec.cluster_json = BERTH_TRY(ClusterInfoForExec(access, choice.cluster));
    return [exec](const CredentialTools& tools) {
      return ExecCredentials(tools.timers, tools.runner, exec, tools.on_identity);
    };
  }
  return [](const CredentialTools&) { return NoCredentials(); };
}

// A URL, or a host with or without port, which is spoken to in plain HTTP.
Result<ServerAccess> AccessTo(std::string_view server, std::string proxy_url, const ClientEnvironment& environment) {
  ServerAccess access;
  access.url = server.substr(0, server.find_first_of("?#"));
  bool has_scheme = access.url.find("://") != std::string::npos;
  if (!has_scheme) access.url.insert(0, "http://");
  while (access.url.ends_with('/')) access.url.pop_back();
  Result<net::Endpoint> endpoint = net::ParseEndpoint(access.url);
  if (!endpoint) return Invalid(fmt::format("parse {}: {}", api::GoQuote(server), endpoint.error().message));
  if (!endpoint->user.empty() || endpoint->scheme == "socks5" || (!has_scheme && !endpoint->base_path.empty())) {
    return Invalid(fmt::format("host must be a URL or a host:port pair: {}", api::GoQuote(server)));
  }
  access.endpoint = *std::move(endpoint);
  const net::Endpoint& at = access.endpoint;
  if (proxy_url.empty()) proxy_url = environment.proxies.For(at.scheme, at.host, at.port);
  if (!proxy_url.empty()) access.proxy = BERTH_TRY(net::ParseEndpoint(proxy_url));
  access.make_credentials = [](const CredentialTools&) { return NoCredentials(); };
  return access;
}

Result<ServerAccess> AccessOf(const Choice& choice, const ClientEnvironment& environment) {
  ServerAccess access = BERTH_TRY(AccessTo(choice.cluster.server, choice.cluster.proxy_url, environment));
  // Secrets never travel in the clear.
  if (access.endpoint.uses_tls()) {
    SetTls(access, choice);
    bool has_ca = !access.ca_file.empty() || !access.tls.ca_pem.empty();
    if (has_ca && access.tls.insecure_skip_verify) {
      return Invalid("specifying a root certificates file with the insecure flag is not allowed");
    }
    access.make_credentials = BERTH_TRY(CredentialsOf(access, choice));
  }
  if (!choice.user.as.empty()) {
    access.make_credentials = [make = std::move(access.make_credentials), as = choice.user.as](const auto& tools) {
      return Impersonating(make(tools), as);
    };
  }
  return access;
}

}  // namespace

ClientEnvironment ClientEnvironment::OfProcess() {
  ClientEnvironment environment;
  environment.service_host = Variable("KUBERNETES_SERVICE_HOST");
  environment.service_port = Variable("KUBERNETES_SERVICE_PORT");
  environment.proxies.http_proxy = EitherVariable("HTTP_PROXY", "http_proxy");
  environment.proxies.https_proxy = EitherVariable("HTTPS_PROXY", "https_proxy");
  environment.proxies.no_proxy = EitherVariable("NO_PROXY", "no_proxy");
  return environment;
}

Result<ServerAccess> InClusterAccess(const ClientEnvironment& environment) {
  const std::string& host = environment.service_host;
  if (host.empty() || environment.service_port.empty()) {
    return Fail(Code::kNotFound,
                "unable to load in-cluster configuration, KUBERNETES_SERVICE_HOST and KUBERNETES_SERVICE_PORT must be "
                "defined");
  }
  const std::string token_file = environment.service_account_directory + "/token";
  const std::string ca_file = environment.service_account_directory + "/ca.crt";
  BERTH_TRY(runtime::ReadFile(token_file));

  std::string authority = host.find(':') == std::string::npos ? host : fmt::format("[{}]", host);
  std::string server = fmt::format("https://{}:{}", authority, environment.service_port);
  ServerAccess access = BERTH_TRY(AccessTo(server, "", environment));
  // Unlike upstream: the token is not shown to whom some public authority vouches for.
  BERTH_TRY(runtime::ReadFile(ca_file));
  access.ca_file = ca_file;
  access.make_credentials = [token_file](const CredentialTools& tools) { return TokenFile(tools.timers, token_file); };
  return access;
}

Result<ServerAccess> FindServer(const std::string& kubeconfig_path, const std::string& master,
                                const ClientEnvironment& environment) {
  AccessOverrides overrides;
  overrides.server = master;
  return FindServer(kubeconfig_path, overrides, environment);
}

Result<ServerAccess> FindServer(const std::string& kubeconfig_path, const AccessOverrides& overrides,
                                const ClientEnvironment& environment) {
  if (kubeconfig_path.empty() && overrides.server.empty()) {
    telemetry::LogWarning(
        "Neither --kubeconfig nor --master was specified.  Using the inClusterConfig.  This might not work.");
    Result<ServerAccess> access = InClusterAccess(environment);
    if (access) return access;
    telemetry::LogWarning("error creating inClusterConfig, falling back to default config: " + access.error().message);
  }
  Kubeconfig kubeconfig;
  if (!kubeconfig_path.empty()) kubeconfig = BERTH_TRY(LoadKubeconfig(kubeconfig_path));
  Result<Choice> choice = Choose(kubeconfig, overrides);
  bool is_empty = !choice && choice.error().code == Code::kNotFound;
  if (is_empty && !environment.service_host.empty()) return InClusterAccess(environment);
  if (!choice) return std::unexpected(std::move(choice).error());
  ServerAccess access = BERTH_TRY(AccessOf(*choice, environment));
  if (overrides.names_user() && !access.endpoint.uses_tls()) {
    return Invalid(fmt::format("tokens and certificates are shown by https only, not to {}", access.url));
  }
  return access;
}

}  // namespace berth::client
