// SPDX-License-Identifier: Apache-2.0
// AuthenticationConfig: whose certificates the serving port believes, as files or the cluster say.
//
// What the flags leave open is read from the ConfigMap kube-system/extension-apiserver-authentication, and read again
// from time to time, as files are. While something cannot be read, or holds no certificates, what was known stays.
//
// Thread: that of the client.

#pragma once

#include <functional>
#include <string>
#include <vector>

#include "app/scheduler/flags/options.h"
#include "base/result.h"
#include "client/request/rest_client.h"
#include "runtime/loop.h"

namespace berth::scheduler_app {

// Proxies that speak for users: which header says what, and the names such a proxy may have.
struct FrontProxy {
  std::string ca_pem;                      // Empty: there is none.
  std::vector<std::string> allowed_names;  // Empty: any.
  std::vector<std::string> username_headers;
  std::vector<std::string> uid_headers;
  std::vector<std::string> group_headers;
  std::vector<std::string> extra_headers_prefixes;

  bool operator==(const FrontProxy&) const = default;
};

class AuthenticationConfig {
 public:
  // `client` is null if there is no API server to ask. `on_change` is called when the certificates of clients or
  // proxies changed, also after the first reading.
  AuthenticationConfig(const AuthenticationOptions& options, client::RestClient* client, runtime::Timers& timers,
                       std::function<void()> on_change);
  ~AuthenticationConfig();
  AuthenticationConfig(const AuthenticationConfig&) = delete;
  AuthenticationConfig& operator=(const AuthenticationConfig&) = delete;

  // Reads everything, tells how it went, and goes on reading it again. An error means that the scheduler is not to
  // start.
  void Start(std::move_only_function<void(Result<void>)> done);

  const std::string& client_ca_pem() const { return client_ca_pem_; }
  const FrontProxy& front_proxy() const { return front_proxy_; }

 private:
  bool LooksUpInCluster() const;
  Result<void> ReadFiles();
  void Lookup(std::move_only_function<void(Result<void>)> done);
  Result<void> TakeConfigMap(const std::string& json);
  void Take(std::string client_ca, FrontProxy front_proxy);
  void ReadAgain();

  const AuthenticationOptions& options_;
  client::RestClient* const client_;
  std::function<void()> on_change_;
  runtime::Loop again_;
  client::RestClient::CallId call_ = 0;
  std::string client_ca_pem_;
  FrontProxy front_proxy_;
};

}  // namespace berth::scheduler_app
