// SPDX-License-Identifier: Apache-2.0
// PlainPort: health and metrics in plain HTTP for everybody, as kube-scheduler served them up to v1.22.
//
// Unlike there, nothing can be changed through it, and nothing else is served.
//
// Thread: that of the loop.

#pragma once

#include <memory>

#include "app/scheduler/flags/options.h"
#include "app/scheduler/serving/authentication_config.h"
#include "app/scheduler/serving/delegated_auth.h"
#include "app/scheduler/serving/serving_handler.h"
#include "app/scheduler/serving/serving_port.h"
#include "net/event_loop.h"
#include "net/http_server.h"

namespace berth::scheduler_app {

class PlainPort final : public net::HttpHandler {
 public:
  // Listens at once. All that is handed over by reference must outlive the port.
  static Result<std::unique_ptr<PlainPort>> Open(net::EventLoop& loop, const Options& options,
                                                 const PlainServing& where, telemetry::Registry& metrics,
                                                 ServingHooks hooks);
  PlainPort(const PlainPort&) = delete;
  PlainPort& operator=(const PlainPort&) = delete;

  uint16_t port() const { return server_->port(); }
  void OnRequest(net::ServerRequest request, net::Responder responder) override;

 private:
  PlainPort(net::EventLoop& loop, const Options& options, telemetry::Registry& metrics, ServingHooks hooks);

  AuthenticationOptions authentication_;
  AuthorizationOptions authorization_;
  AuthenticationConfig config_;
  DelegatedAuth auth_;  // Lets everybody in.
  ServingHandler handler_;
  std::unique_ptr<net::HttpServer> server_;
};

}  // namespace berth::scheduler_app
