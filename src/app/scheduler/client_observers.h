// SPDX-License-Identifier: Apache-2.0
// What clients and watches do, as metrics and in the log.
//
// Thread: that of the clients.

#pragma once

#include "app/scheduler/outage.h"
#include "client/request/request_observer.h"
#include "client/watch/reflector_observer.h"
#include "telemetry/scheduler_metrics.h"

namespace berth::scheduler_app {

class RequestMetrics final : public client::RequestObserver {
 public:
  explicit RequestMetrics(telemetry::ClientMetrics& metrics) : metrics_(metrics) {}

  void OnRateLimiterWait(const client::ObservedRequest& request, Duration wait, std::string_view reason) override;
  void OnTry(const client::ObservedRequest& request, std::optional<int> status, bool is_retry) override;
  void OnRequestSize(const client::ObservedRequest& request, size_t bytes) override;
  void OnResponseSize(const client::ObservedRequest& request, size_t bytes) override;
  void OnDuration(const client::ObservedRequest& request, Duration duration) override;

 private:
  telemetry::ClientMetrics& metrics_;
};

// Failures go to the log; when the server is away, one watch speaks for all.
class ReflectorMetrics final : public client::ReflectorObserver {
 public:
  explicit ReflectorMetrics(telemetry::ClientMetrics& metrics) : metrics_(metrics) {}

  void OnList(const client::WatchedResource& resource, Duration duration, size_t items) override;
  void OnResourceVersion(const client::WatchedResource& resource, std::string_view resource_version) override;
  void OnSkipped(const client::WatchedResource& resource, const std::string& why) override;
  void OnSourceMissing(const client::WatchedResource& resource, const std::string& why) override;
  void OnReached(const client::WatchedResource& resource) override;
  void OnUnreachable(const client::WatchedResource& resource, const std::string& message) override;
  void OnFailure(const client::WatchedResource& resource, const std::string& message) override;

 private:
  telemetry::ClientMetrics& metrics_;
  Outage outage_;
};

}  // namespace berth::scheduler_app
