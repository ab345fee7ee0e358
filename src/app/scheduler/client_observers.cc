// SPDX-License-Identifier: Apache-2.0
#include "app/scheduler/client_observers.h"

#include <charconv>

#include "telemetry/log.h"

namespace berth::scheduler_app {
namespace {

constexpr std::string_view kInformer = "kube-scheduler";

double SecondsOf(Duration duration) { return static_cast<double>(duration.nanos) / 1e9; }

std::string_view GroupOf(const client::WatchedResource& resource) {
  const size_t slash = resource.api_version.find('/');
  return slash == std::string::npos ? std::string_view() : std::string_view(resource.api_version).substr(0, slash);
}

std::string_view VersionOf(const client::WatchedResource& resource) {
  return std::string_view(resource.api_version).substr(resource.api_version.find('/') + 1);
}

template <class Metric>
Metric& For(telemetry::Labelled<Metric>& metric, const client::WatchedResource& resource) {
  return metric.With(kInformer, GroupOf(resource), VersionOf(resource), resource.plural);
}

}  // namespace

void RequestMetrics::OnRateLimiterWait(const client::ObservedRequest& request, Duration wait, std::string_view) {
  metrics_.rate_limiter_duration.With(request.verb, request.server).Observe(SecondsOf(wait));
}

void RequestMetrics::OnTry(const client::ObservedRequest& request, std::optional<int> status, bool is_retry) {
  const std::string code = status ? std::to_string(*status) : "<error>";
  metrics_.requests.With(code, request.verb, request.server).Add();
  if (is_retry) metrics_.request_retries.With(code, request.verb, request.server).Add();
}

void RequestMetrics::OnRequestSize(const client::ObservedRequest& request, size_t bytes) {
  metrics_.request_size.With(request.verb, request.server).Observe(static_cast<double>(bytes));
}

void RequestMetrics::OnResponseSize(const client::ObservedRequest& request, size_t bytes) {
  metrics_.response_size.With(request.verb, request.server).Observe(static_cast<double>(bytes));
}

void RequestMetrics::OnDuration(const client::ObservedRequest& request, Duration duration) {
  metrics_.request_duration.With(request.verb, request.server).Observe(SecondsOf(duration));
}

void ReflectorMetrics::OnList(const client::WatchedResource& resource, Duration duration, size_t) {
  // Nothing waits between a watch and the inbox of the core.
  For(metrics_.informer_queued_items, resource);
  For(metrics_.informer_processing_latency, resource).Observe(SecondsOf(duration));
}

void ReflectorMetrics::OnResourceVersion(const client::WatchedResource& resource, std::string_view resource_version) {
  uint64_t number = 0;
  std::from_chars(resource_version.data(), resource_version.data() + resource_version.size(), number);
  For(metrics_.informer_store_resource_version, resource).Set(static_cast<double>(number));
}

void ReflectorMetrics::OnSkipped(const client::WatchedResource& resource, const std::string& why) {
  metrics_.skipped_objects.With(resource.plural).Add();
  telemetry::LogError("Skipped an object that cannot be read", "kind", resource.kind, "err", why);
}

void ReflectorMetrics::OnSourceMissing(const client::WatchedResource& resource, const std::string& why) {
  telemetry::LogError("An object cannot be sent to extenders in full", "kind", resource.kind, "err", why);
}

void ReflectorMetrics::OnReached(const client::WatchedResource& resource) { outage_.Reached(resource.plural); }

void ReflectorMetrics::OnUnreachable(const client::WatchedResource& resource, const std::string& message) {
  if (!outage_.Failed(resource.plural)) return;
  telemetry::LogError("Failed to watch", "err", message, "type", resource.plural, "failing", outage_.failing());
}

void ReflectorMetrics::OnFailure(const client::WatchedResource& resource, const std::string& message) {
  telemetry::LogError("Failed to watch", "err", message, "type", resource.plural);
}

}  // namespace berth::scheduler_app
