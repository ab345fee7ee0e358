// SPDX-License-Identifier: Apache-2.0
#include "plugins/helpers/scored_resources.h"

namespace berth::plugins {

std::vector<ScoredResource> ScoredResources(const std::vector<framework::ResourceSpec>& resources,
                                            const cluster::Resources& pod_requests, UsedCpuAndMemory used,
                                            const cluster::Cluster& cluster) {
  const cluster::NodeTable& nodes = cluster.nodes();
  const bool nonzero = used == UsedCpuAndMemory::kNonZero;
  std::vector<ScoredResource> scored;
  scored.reserve(resources.size());
  for (const framework::ResourceSpec& resource : resources) {
    const int64_t position = &resource - resources.data();
    if (resource.name == "cpu") {
      scored.push_back({nodes.allocatable_cpu.data(), (nonzero ? nodes.nonzero_cpu : nodes.requested_cpu).data(),
                        pod_requests.cpu_milli, resource.weight, position});
    } else if (resource.name == "memory") {
      scored.push_back({nodes.allocatable_memory.data(),
                        (nonzero ? nodes.nonzero_memory : nodes.requested_memory).data(), pod_requests.memory_bytes,
                        resource.weight, position});
    } else if (resource.name == "ephemeral-storage") {
      scored.push_back({nodes.allocatable_ephemeral.data(), nodes.requested_ephemeral.data(),
                        pod_requests.ephemeral_bytes, resource.weight, position});
    } else {
      cluster::ResourceId id;
      if (!cluster.resource_names().Find(resource.name, id)) continue;
      const cluster::ScalarColumn* column = nodes.Scalar(id);
      const int64_t request = pod_requests.scalar(id);
      if (column == nullptr || request == 0) continue;
      scored.push_back({column->allocatable.data(), column->requested.data(), request, resource.weight, position});
    }
  }
  return scored;
}

std::vector<int64_t> NeedOf(const std::vector<ScoredResource>& resources) {
  std::vector<int64_t> need;
  need.reserve(2 * resources.size());
  for (const ScoredResource& resource : resources) {
    need.push_back(resource.position);
    need.push_back(resource.pod_request);
  }
  return need;
}

}  // namespace berth::plugins
