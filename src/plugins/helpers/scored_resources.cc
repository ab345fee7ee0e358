// SPDX-License-Identifier: Apache-2.0
#include "plugins/helpers/scored_resources.h"

#include "plugins/helpers/device_counts.h"

namespace berth::plugins {
namespace {

// On nodes that do not offer the resource themselves, devices are counted.
std::shared_ptr<const ScoredResource::Devices> CountAll(const cluster::Cluster& cluster,
                                                        const cluster::ScalarColumn* column,
                                                        const api::DeviceClass& device_class,
                                                        std::span<const cluster::NodeSlot> slots) {
  auto counted = std::make_shared<ScoredResource::Devices>();
  counted->allocatable.resize(cluster.nodes().slot_limit());
  counted->used.resize(cluster.nodes().slot_limit());
  for (const cluster::NodeSlot slot : slots) {
    int64_t& allocatable = counted->allocatable[slot.index];
    int64_t& used = counted->used[slot.index];
    if (column != nullptr) {
      allocatable = column->allocatable[slot.index];
      used = column->requested[slot.index];
    }
    if (allocatable != 0) continue;
    const DeviceCounts devices = CountDevices(cluster, *cluster.nodes().node[slot.index], device_class);
    allocatable = devices.total;
    used = devices.allocated;
  }
  return counted;
}

}  // namespace

bool AnyFromDevices(const std::vector<framework::ResourceSpec>& resources, const cluster::Cluster& cluster) {
  return std::ranges::any_of(resources, [&](const framework::ResourceSpec& resource) {
    return cluster.devices.extended_resources().ClassOf(resource.name) != nullptr;
  });
}

std::vector<ScoredResource> ScoredResources(const std::vector<framework::ResourceSpec>& resources,
                                            const cluster::Resources& pod_requests, UsedCpuAndMemory used,
                                            const cluster::Cluster& cluster, std::span<const cluster::NodeSlot> slots) {
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
      if (request == 0) continue;
      if (const api::DeviceClass* device_class = cluster.devices.extended_resources().ClassOf(resource.name)) {
        auto devices = CountAll(cluster, column, *device_class, slots);
        scored.push_back(
            {devices->allocatable.data(), devices->used.data(), request, resource.weight, position, devices});
      } else if (column != nullptr) {
        scored.push_back({column->allocatable.data(), column->requested.data(), request, resource.weight, position});
      }
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
