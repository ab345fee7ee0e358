// SPDX-License-Identifier: Apache-2.0
// ServingPort: the scheduler's HTTPS port with its certificate, its authentication and its endpoints.
//
// The certificate comes from files, which are read again from time to time, or is made here. What the cluster says
// about whose certificates to believe is taken up when it is known.
//
// Thread: that of the loop.

#pragma once

#include <functional>
#include <memory>
#include <string>

#include "app/scheduler/flags/options.h"
#include "app/scheduler/serving/authentication_config.h"
#include "app/scheduler/serving/delegated_auth.h"
#include "app/scheduler/serving/serving_handler.h"
#include "client/request/rest_client.h"
#include "net/event_loop.h"
#include "net/http_server.h"
#include "net/self_signed.h"
#include "runtime/loop.h"
#include "telemetry/scheduler_metrics.h"

namespace berth::scheduler_app {

// The certificate that the options name or, if they name none, a new one. One that is made for a directory is kept
// there.
Result<net::KeyPair> LoadServingCertificate(const ServingOptions& options, Time now);

// What the rest of the scheduler contributes; see ServingParts.
struct ServingHooks {
  std::vector<HealthCheck> healthz;
  std::vector<HealthCheck> readyz;
  std::function<bool()> is_leading;
  std::function<void(ServingParts::OnUsage)> ask_pod_usage;
  BerthApi::CoreAccess core_access = {};
};

// What a handler needs, from what all ports have in common.
ServingParts PartsOf(net::EventLoop& loop, const Options& options, DelegatedAuth& auth, telemetry::Registry& metrics,
                     ServingHooks hooks);

// How much of those who ask is taken in before it is known who they are. `files_max` is how many files the process may
// have open: what it does itself comes first. `viewers_max` connections more are for those who look at the dashboard.
net::HttpServerOptions ServingLimits(size_t files_max, size_t viewers_max = 0);

class ServingPort {
 public:
  // Who is asked about tokens and about rights; null: nobody.
  struct Clients {
    client::RestClient* authentication = nullptr;
    client::RestClient* authorization = nullptr;
  };
  struct Metrics {
    telemetry::Registry& served;
    telemetry::ClientMetrics& client;  // Where the port counts its own work.
  };
  using Hooks = ServingHooks;

  // Listens at once. `on_failure` is called if the port must not go on, because of what the cluster says about
  // authentication. All that is handed over by reference must outlive the port.
  static Result<std::unique_ptr<ServingPort>> Open(net::EventLoop& loop, const Options& options, Clients clients,
                                                   Metrics metrics, Hooks hooks,
                                                   std::move_only_function<void(Error)> on_failure);
  ServingPort(const ServingPort&) = delete;
  ServingPort& operator=(const ServingPort&) = delete;

  uint16_t port() const { return server_->port(); }
  // Lets running requests end, for at most `grace`.
  void Shutdown(Duration grace, std::move_only_function<void()> done) { server_->Shutdown(grace, std::move(done)); }

 private:
  ServingPort(net::EventLoop& loop, const Options& options, Clients clients, Metrics metrics, Hooks hooks);
  net::TlsServerOptions Tls() const;
  // Takes up new certificates; the one piece of work here that upstream has a queue for.
  void ApplyTls();
  void CheckCertificate();

  net::EventLoop& loop_;
  const Options& options_;
  telemetry::ClientMetrics& metrics_;
  net::KeyPair certificate_;
  AuthenticationConfig authentication_;
  DelegatedAuth auth_;
  ServingHandler handler_;
  runtime::Loop certificate_check_;
  std::unique_ptr<net::HttpServer> server_;
};

}  // namespace berth::scheduler_app
