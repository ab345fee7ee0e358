// SPDX-License-Identifier: Apache-2.0
// ServingHandler: what the scheduler's HTTPS port answers.
//
// Health, metrics, configuration and debugging endpoints, with kube-scheduler's paths, bodies and headers. Every
// request is first put to DelegatedAuth, and its body is not read before it is let in. Nothing here touches a socket:
// requests come from an HttpServer or from a test.
//
// Thread: that of the server's loop.

#pragma once

#include <functional>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "app/scheduler/flags/options.h"
#include "app/scheduler/serving/answer.h"
#include "app/scheduler/serving/berth_api.h"
#include "app/scheduler/serving/delegated_auth.h"
#include "app/scheduler/serving/health_checks.h"
#include "app/scheduler/serving/metrics_endpoint.h"
#include "app/scheduler/serving/peer.h"
#include "net/http_server.h"
#include "runtime/timers.h"
#include "telemetry/registry.h"

namespace berth::scheduler_app {

struct HealthCheck {
  std::string name;
  HealthChecks::Check check;
};

// References must outlive the handler.
struct ServingParts {
  DelegatedAuth& auth;
  telemetry::Registry& metrics;
  runtime::Timers& timers;
  std::vector<HealthCheck> healthz;  // Empty: `ping`, which always succeeds.
  std::vector<HealthCheck> readyz;
  std::string configuration_json;  // For /configz.
  std::vector<FlagValue> flags;
  std::string binary_version;  // "1.37.1"
  std::string emulation_version;
  bool serves_profiling = true;
  bool serves_flagz = true;
  bool serves_statusz = true;
  std::function<bool()> is_leading;
  // Finds out what all pods that have not ended use and calls back, on the thread of the loop, perhaps later.
  using OnUsage = std::move_only_function<void(std::vector<PodUsage>)>;
  std::function<void(OnUsage)> ask_pod_usage;
  BerthApi::CoreAccess core_access = {};  // For /berth/v1/; empty: nothing is answered there.
};

class ServingHandler final : public net::HttpHandler {
 public:
  explicit ServingHandler(ServingParts parts);

  void OnRequest(net::ServerRequest request, net::Responder responder) override;
  // The same with any peer and any way to answer.
  using Send = BerthApi::Send;
  void Handle(net::ServerRequest request, Peer peer, Send send);

 private:
  void Route(const net::ServerRequest& request, Peer peer, Send send);
  void ServePodUsage(const net::ServerRequest& request, Send send);
  Answer ServeStatus(std::string_view accept) const;

  ServingParts parts_;
  telemetry::Registry slis_;
  BerthApi berth_api_;
  HealthMetrics health_metrics_;
  std::map<std::string, HealthChecks, std::less<>> health_;  // By the first part of the path.
};

}  // namespace berth::scheduler_app
