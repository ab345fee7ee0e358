// SPDX-License-Identifier: Apache-2.0
#include "plugins/legacy/allocation.h"

#include <algorithm>

#include "cluster/pod_resources.h"

namespace berth::plugins::legacy {
namespace {

int64_t ContainerRequest(const api::ResourceList& requests, std::string_view resource) {
  const api::Quantity* amount = requests.Find(resource);
  if (resource == "cpu") return amount == nullptr ? cluster::kDefaultCpuMilli : amount->MilliValue();
  if (resource == "memory") return amount == nullptr ? cluster::kDefaultMemoryBytes : amount->Value();
  return amount == nullptr ? 0 : amount->Value();
}

}  // namespace

int64_t PodRequest(const api::PodSpec& spec, std::string_view resource) {
  int64_t request = 0;
  for (const api::Container& container : spec.containers) {
    request = cluster::WrapAdd(request, ContainerRequest(container.requests, resource));
  }
  for (const api::Container& container : spec.init_containers) {
    request = std::max(request, ContainerRequest(container.requests, resource));
  }
  const api::Quantity* overhead = spec.overhead.Find(resource);
  return overhead == nullptr ? request : cluster::WrapAdd(request, overhead->Value());
}

ResourceColumns FindColumns(const cluster::Cluster& cluster, std::string_view resource) {
  const cluster::NodeTable& nodes = cluster.nodes();
  if (resource == "cpu") return {nodes.allocatable_cpu.data(), nodes.nonzero_cpu.data()};
  if (resource == "memory") return {nodes.allocatable_memory.data(), nodes.nonzero_memory.data()};
  if (resource == "ephemeral-storage") return {nodes.allocatable_ephemeral.data(), nodes.requested_ephemeral.data()};
  cluster::ResourceId id;
  const bool is_known = cluster.resource_names().Find(resource, id);
  const cluster::ScalarColumn* column = is_known ? nodes.Scalar(id) : nullptr;
  return column == nullptr ? ResourceColumns() : ResourceColumns{column->allocatable.data(), column->requested.data()};
}

}  // namespace berth::plugins::legacy
