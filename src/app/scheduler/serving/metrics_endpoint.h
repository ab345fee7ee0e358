// SPDX-License-Identifier: Apache-2.0
// How metrics are served: as Prometheus' text, compressed if the client takes that.
//
// Of the forms that upstream can give, only the text is there; a client that prefers another gets it all the same.

#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>

#include "app/scheduler/serving/answer.h"
#include "net/http_server.h"
#include "telemetry/registry.h"

namespace berth::scheduler_app {

// All metrics, or those that the query names with `name[]`. DELETE resets them instead.
Answer ServeMetrics(telemetry::Registry& registry, const net::ServerRequest& request, const RequestTarget& target);

// `text` with the headers for it, compressed if the client accepts gzip.
Answer MetricsAnswer(std::string text, const net::ServerRequest& request);

// What a pod asks for and may use, for /metrics/resources.
struct PodUsage {
  std::string ns;
  std::string name;
  std::string node;
  std::string scheduler;
  std::string priority;  // Empty: none.
  struct Amount {
    std::string resource;
    double value = 0;  // In cores, bytes or pieces.
  };
  std::vector<Amount> requests;
  std::vector<Amount> limits;
};
// kube_pod_resource_request and kube_pod_resource_limit of these pods, which must not have ended.
std::string PodUsageText(std::span<const PodUsage> pods);

}  // namespace berth::scheduler_app
