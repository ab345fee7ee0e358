// SPDX-License-Identifier: Apache-2.0
// Services and what is behind them, for tests.

#pragma once

#include <fmt/format.h>

#include <string>
#include <string_view>
#include <vector>

#include "server/test_cluster.h"

namespace berth::server {

// Pods with the label app=web and the port http, 8080.
inline void AddWebPods(TestCluster& cluster, int replicas) {
  cluster.Create("apps", "deployments",
                 fmt::format(R"(
metadata: {{name: web}}
spec:
  replicas: {}
  selector: {{matchLabels: {{app: web}}}}
  template:
    metadata: {{labels: {{app: web}}}}
    spec: {{containers: [{{name: a, image: a, ports: [{{name: http, containerPort: 8080}}]}}]}}
)",
                             replicas));
}

// The Service `web`, with more of its spec.
inline void AddWebService(TestCluster& cluster, std::string_view more = "") {
  cluster.Create("", "services",
                 fmt::format(R"(
metadata: {{name: web, labels: {{tier: front}}}}
spec: {{selector: {{app: web}}, ports: [{{name: www, port: 80, targetPort: http}}]{}}}
)",
                             more));
}

// The slices of a Service, in the order of their names.
inline std::vector<Json> SlicesOf(const TestCluster& cluster, std::string_view service = "web") {
  std::vector<Json> slices;
  for (const auto& [key, slice] : cluster.store.All(cluster.Get("discovery.k8s.io", "endpointslices"))) {
    if (slice->labels().Get("kubernetes.io/service-name") == service) slices.push_back(slice->Tree());
  }
  return slices;
}

inline Json SubsetsIn(const TestCluster& cluster, std::string_view name = "web") {
  return cluster.Tree("", "endpoints", name)["subsets"];
}

}  // namespace berth::server
