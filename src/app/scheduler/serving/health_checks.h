// SPDX-License-Identifier: Apache-2.0
// HealthChecks: one of /healthz, /livez and /readyz with its named checks.
//
// The endpoint is healthy if all of its checks are; each has a path of its own below it. Why a check failed is told
// only there and in the log, since the endpoint itself is open to everybody.
//
// Thread: that of the serving port.

#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "app/scheduler/serving/answer.h"
#include "base/result.h"
#include "telemetry/registry.h"

namespace berth::scheduler_app {

// kubernetes_healthcheck and its like, which /metrics/slis shows.
struct HealthMetrics {
  explicit HealthMetrics(telemetry::Registry& registry);
  telemetry::Labelled<telemetry::Gauge>& status;
  telemetry::Labelled<telemetry::Counter>& results;
};

class HealthChecks {
 public:
  using Check = std::function<Result<void>()>;

  // `name` is "healthz", "livez" or "readyz".
  HealthChecks(std::string name, HealthMetrics& metrics) : name_(std::move(name)), metrics_(metrics) {}

  // Checks run and are listed in the order in which they were added.
  void Add(std::string check_name, Check check) { checks_.push_back({std::move(check_name), std::move(check)}); }
  bool empty() const { return checks_.empty(); }

  // Of the endpoint; `query` may hold `verbose` and `exclude=NAME`.
  Answer Run(const std::multimap<std::string, std::string>& query);
  // Of a single check.
  Answer RunOne(std::string_view check_name);

 private:
  struct Named {
    std::string name;
    Check check;
  };

  std::string name_;
  HealthMetrics& metrics_;
  std::vector<Named> checks_;
};

}  // namespace berth::scheduler_app
