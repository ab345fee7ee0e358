// SPDX-License-Identifier: Apache-2.0
// Kubeconfig: the file that says where API servers are and who asks them, as it is written.
//
// What the chosen context makes of it is a ServerAccess, see client/access/server_access.h. Unknown fields are left
// alone, as upstream does. Errors never quote a secret.

#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "client/access/credentials.h"
#include "client/access/exec_credentials.h"

namespace berth::client {

struct KubeconfigCluster {
  std::string server;
  std::string tls_server_name;
  bool insecure_skip_tls_verify = false;
  std::string certificate_authority;  // A file, as all fields without `data` in their name.
  std::string certificate_authority_data;
  std::string proxy_url;
  bool disable_compression = false;
  std::string exec_config_json;  // The extension for exec plugins.

  bool operator==(const KubeconfigCluster&) const = default;
};

struct KubeconfigUser {
  std::string client_certificate;
  std::string client_certificate_data;
  std::string client_key;
  std::string client_key_data;
  std::string token;
  std::string token_file;
  std::string username;
  std::string password;
  Impersonation as;
  std::optional<ExecConfig> exec;
  bool exec_wants_cluster_info = false;
  std::optional<std::string> auth_provider;  // Its name.
};

struct KubeconfigContext {
  std::string cluster;
  std::string user;
};

struct Kubeconfig {
  std::map<std::string, KubeconfigCluster> clusters;
  std::map<std::string, KubeconfigUser> users;
  std::map<std::string, KubeconfigContext> contexts;
  std::string current_context;
};

// YAML or JSON. Relative file names are resolved against `directory`.
Result<Kubeconfig> ParseKubeconfig(std::string_view text, const std::string& directory);

// A file that does not exist is Code::kNotFound, "stat PATH: no such file or directory".
Result<Kubeconfig> LoadKubeconfig(const std::string& path);

}  // namespace berth::client
