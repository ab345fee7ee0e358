// SPDX-License-Identifier: Apache-2.0
// ServerAccess: where the API server is, how it is to be trusted, and how to say who is asking.
//
// It is made from a kubeconfig, from the address on the command line, or from what a pod finds in its cluster, in the
// order and with the errors of upstream.

#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "base/result.h"
#include "client/access/credentials.h"
#include "client/access/exec_credentials.h"
#include "client/access/kubeconfig.h"
#include "client/access/proxy_settings.h"
#include "net/endpoint.h"
#include "net/tls.h"
#include "runtime/timers.h"

namespace berth::client {

// What credentials may need. All of it must outlive them.
struct CredentialTools {
  runtime::Timers& timers;
  CommandRunner& runner;
  OnIdentity on_identity;
};

struct ServerAccess {
  std::string url;  // Such as https://10.0.0.1:6443 or https://example.com/clusters/a, without a slash at its end.
  net::Endpoint endpoint;
  std::optional<net::Endpoint> proxy;

  // Where a file is named, its content counts, at any time; it may be renewed.
  net::TlsClientOptions tls;
  std::string ca_file;
  std::string certificate_file;
  std::string key_file;

  std::function<std::unique_ptr<Credentials>(const CredentialTools&)> make_credentials;
};

// The environment of a process, as far as it matters here.
struct ClientEnvironment {
  std::string service_host;
  std::string service_port;
  std::string service_account_directory = "/var/run/secrets/kubernetes.io/serviceaccount";
  ProxySettings proxies;

  static ClientEnvironment OfProcess();
};

// What a command line says in place of what stands in the kubeconfig. Empty: what stands there.
struct AccessOverrides {
  std::string context;
  std::string server;
  std::string certificate_authority;  // A file, as those below.
  bool insecure_skip_tls_verify = false;
  std::string token_file;
  std::string client_certificate;
  std::string client_key;

  // Who asks is said here, and not by the kubeconfig.
  bool names_user() const { return !token_file.empty() || !client_certificate.empty(); }
};

// `kubeconfig_path` and the server may be empty; with neither, it is the cluster that the process runs in.
Result<ServerAccess> FindServer(const std::string& kubeconfig_path, const AccessOverrides& overrides,
                                const ClientEnvironment& environment);
// The same with another address than that in the kubeconfig, or an empty one.
Result<ServerAccess> FindServer(const std::string& kubeconfig_path, const std::string& master,
                                const ClientEnvironment& environment);

Result<ServerAccess> InClusterAccess(const ClientEnvironment& environment);

}  // namespace berth::client
