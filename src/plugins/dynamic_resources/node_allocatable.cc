// SPDX-License-Identifier: Apache-2.0
#include "plugins/dynamic_resources/node_allocatable.h"

#include <algorithm>
#include <map>
#include <utility>

#include <fmt/format.h>

#include "cluster/pod_resources.h"

namespace berth::plugins {
namespace {

using api::NodeAllocatableClaimStatus;
using api::Quantity;
using framework::Status;

void AddTo(api::ResourceList& list, const std::string& name, const Quantity& amount) {
  const Quantity* present = list.Find(name);
  Quantity sum = present == nullptr ? Quantity() : *present;
  sum.Add(amount);
  list.Set(name, std::move(sum));
}

void AddTo(std::optional<Quantity>& sum, const std::optional<Quantity>& amount) {
  if (!amount) return;
  if (sum) {
    sum->Add(*amount);
  } else {
    sum = amount;
  }
}

// Exact to thousandths.
Quantity Product(const Quantity& amount, const Quantity& factor) {
  const int64_t whole = cluster::WrapMul(amount.MilliValue() / 1000, factor.MilliValue());
  const int64_t rest = cluster::WrapMul(amount.MilliValue() % 1000, factor.MilliValue());
  return Quantity::FromMilli(cluster::WrapAdd(whole, rest / 1000 + (rest % 1000 > 0 ? 1 : 0)), amount.format());
}

bool IsForNode(const cluster::PoolSlice& slice, const cluster::SliceNode& node) {
  return slice.per_device_selection() || slice.IsFor(node).value_or(false);
}

bool HasMapping(const api::Device& device) {
  return std::ranges::any_of(device.node_allocatable_resources,
                             [](const auto& entry) { return entry.second.mapping.has_value(); });
}

}  // namespace

Status NodeAllocatable::CheckSharing(const PodClaim& claim) const {
  if (!is_enabled() || !claim.is_allocated() || claim.claim->reserved_for.empty()) return Status::Success();
  const bool is_mapped = std::ranges::any_of(claim.claim->allocation->results, [&](const auto& result) {
    const api::Device* device =
        cycle_.cluster().devices.pools().FindDevice({result.driver, result.pool}, result.device);
    return device != nullptr && HasMapping(*device);
  });
  const bool is_own = std::ranges::any_of(claim.claim->reserved_for,
                                          [&](const auto& consumer) { return consumer.uid == cycle_.pod().uid; });
  if (!is_mapped || is_own) return Status::Success();
  return Status::Unresolvable(
      fmt::format("node allocatable resource claim {} has a mapped device and cannot be shared across pods",
                  claim.claim->meta.name));
}

Result<const api::Device*> NodeAllocatable::FindDevice(const api::DeviceRequestAllocationResult& result,
                                                       const api::Node& node) const {
  const cluster::SliceNode slice_node{.name = node.meta.name, .labels = node.meta.labels};
  for (const cluster::PoolSlicePtr& slice : cycle_.cluster().devices.pools().SlicesFor(slice_node)) {
    if ((*slice)->driver != result.driver || (*slice)->pool.name != result.pool || !IsForNode(*slice, slice_node)) {
      continue;
    }
    for (size_t i = 0; i < (*slice)->devices.size(); ++i) {
      if ((*slice)->devices[i].name != result.device) continue;
      if (slice->per_device_selection() && !slice->DeviceIsFor(i, slice_node).value_or(false)) {
        return Invalid(fmt::format("device {} does not match node", result.device));
      }
      return &(*slice)->devices[i];
    }
  }
  return Fail(Code::kNotFound,
              fmt::format("device {} not found in pool {} for driver {}", result.device, result.pool, result.driver));
}

std::vector<NodeAllocatable::Allocated> NodeAllocatable::ClaimsOnNode(const api::Node& node,
                                                                      const NodeAllocation& allocation) const {
  std::vector<Allocated> claims;
  size_t next = 0;
  for (const PodClaim& claim : state_.claims) {
    const api::AllocationResult* result = nullptr;
    if (claim.is_allocated()) {
      result = &*claim.claim->allocation;
    } else if (next < allocation.results().size()) {
      result = &allocation.results()[next++];
    }
    if (result == nullptr) continue;
    const bool takes_some = std::ranges::any_of(result->results, [&](const auto& device) {
      const Result<const api::Device*> found = FindDevice(device, node);
      return found && !(*found)->node_allocatable_resources.empty();
    });
    if (takes_some) claims.push_back({claim.claim.get(), result});
  }
  return claims;
}

Result<NodeAllocatableClaimStatus> NodeAllocatable::Total(const Allocated& claim, const api::Node& node) const {
  NodeAllocatableClaimStatus status;
  status.claim_name = claim.claim->meta.name;
  std::map<std::string, NodeAllocatableClaimStatus::Overhead> overheads;
  for (const api::DeviceRequestAllocationResult& result : claim.allocation->results) {
    const Result<const api::Device*> device = FindDevice(result, node);
    if (!device) {
      return Invalid(fmt::format("claim {}, device {}, driver {}: {}", api::FullName(claim.claim->meta), result.device,
                                 result.driver, device.error().message));
    }
    for (const auto& [name, resource] : (*device)->node_allocatable_resources) {
      if (resource.mapping && resource.mapping->capacity_key && !resource.mapping->capacity_key->empty()) {
        const std::string& key = *resource.mapping->capacity_key;
        if (!result.consumed_capacity) {
          return Invalid(
              fmt::format("claim {}, device {}: ConsumedCapacity is nil, but Capacity key '{}' is set in "
                          "NodeAllocatableResources for resource {}",
                          api::FullName(claim.claim->meta), result.device, key, name));
        }
        if (const Quantity* consumed = result.consumed_capacity->Find(key)) {
          const auto& factor = resource.mapping->capacity_multiplier;
          AddTo(status.mapping, name, factor ? Product(*consumed, *factor) : *consumed);
        }
      } else if (resource.mapping && resource.mapping->device_multiplier) {
        AddTo(status.mapping, name, *resource.mapping->device_multiplier);
      }
      if (resource.overhead && (resource.overhead->per_pod || resource.overhead->per_container)) {
        NodeAllocatableClaimStatus::Overhead& overhead = overheads[name];
        overhead.name = name;
        AddTo(overhead.per_pod, resource.overhead->per_pod);
        AddTo(overhead.per_container, resource.overhead->per_container);
      }
    }
  }
  for (auto& [name, overhead] : overheads) status.overhead.push_back(std::move(overhead));
  return status;
}

Status NodeAllocatable::CheckPodLevel(const std::vector<NodeAllocatableClaimStatus>& claims) const {
  const api::PodSpec& spec = cycle_.pod().spec();
  if (!spec.pod_requests) return Status::Success();
  api::PodStatus status;
  status.node_allocatable_claims = claims;
  api::PodSpec containers = spec;
  containers.overhead = {};
  const api::ResourceList needed =
      cluster::PodRequests(containers, status, {.pod_level = false, .node_allocatable_claims = true});
  for (const auto& [name, amount] : *spec.pod_requests) {
    if (name != "cpu" && name != "memory" && !name.starts_with("hugepages-")) continue;
    const Quantity* need = needed.Find(name);
    if (need == nullptr || need->Cmp(amount) <= 0) continue;
    return Status::Unresolvable(fmt::format(
        "pod level request for {} is insufficient to cover the aggregated container and node-allocatable DRA requests",
        name));
  }
  return Status::Success();
}

Status NodeAllocatable::CheckNode(cluster::NodeSlot node, const api::ResourceList& requests) const {
  const cluster::NodeTable& nodes = cycle_.nodes();
  Status status{.code = framework::StatusCode::kUnschedulable, .reasons = {}, .plugin = {}};
  const auto check = [&](const std::string& name, int64_t wanted, int64_t allocatable, int64_t requested) {
    if (wanted <= 0 || wanted <= allocatable - requested) return;
    status.reasons.push_back("Insufficient " + name);
    if (wanted > allocatable) status.code = framework::StatusCode::kUnschedulableAndUnresolvable;
  };
  const size_t i = node.index;
  for (const auto& [name, amount] : requests) {
    if (name == "cpu") {
      check(name, amount.MilliValue(), nodes.allocatable_cpu[i], nodes.requested_cpu[i]);
    } else if (name == "memory") {
      check(name, amount.Value(), nodes.allocatable_memory[i], nodes.requested_memory[i]);
    } else if (name == "ephemeral-storage") {
      check(name, amount.Value(), nodes.allocatable_ephemeral[i], nodes.requested_ephemeral[i]);
    } else if (name.starts_with("hugepages-")) {
      const Quantity* offered = nodes.node[i]->allocatable.Find(name);
      cluster::ResourceId id;
      const bool is_known = cycle_.cluster().resource_names().Find(name, id);
      check(name, amount.Value(), offered == nullptr ? 0 : offered->Value(), is_known ? nodes.Requested(node, id) : 0);
    }
  }
  return status.reasons.empty() ? Status::Success() : status;
}

Status NodeAllocatable::Check(cluster::NodeSlot node, NodeAllocation& allocation) const {
  if (!is_enabled()) return Status::Success();
  const api::Node& object = *cycle_.nodes().node[node.index];
  const api::PodSpec& spec = cycle_.pod().spec();
  std::vector<NodeAllocatableClaimStatus> statuses;
  const std::vector<Allocated> claims = ClaimsOnNode(object, allocation);
  if (claims.empty()) return Status::Success();
  for (const Allocated& claim : claims) {
    Result<NodeAllocatableClaimStatus> status = Total(claim, object);
    if (!status) return Status::Error(std::move(status).error().message);
    if (status->mapping.empty() && status->overhead.empty()) continue;
    for (const auto* containers : {&spec.init_containers, &spec.containers}) {
      for (const api::Container& container : *containers) {
        for (const std::string& name : container.claims) {
          const auto entry = std::ranges::find(spec.resource_claims, name, &api::PodResourceClaim::name);
          if (entry == spec.resource_claims.end()) continue;
          const size_t position = static_cast<size_t>(entry - spec.resource_claims.begin());
          const bool is_it =
              position < state_.claim_of_entry.size() && state_.claim_of_entry[position] == claim.claim->meta.uid;
          if (is_it) status->containers.push_back(container.name);
        }
      }
    }
    statuses.push_back(*std::move(status));
  }
  std::ranges::sort(statuses, {}, &NodeAllocatableClaimStatus::claim_name);
  Status status = CheckPodLevel(statuses);
  if (!status.ok()) return status;
  api::PodStatus pod_status;
  pod_status.node_allocatable_claims = statuses;
  status = CheckNode(node, cluster::PodRequests(spec, pod_status, {.node_allocatable_claims = true}));
  if (status.ok()) allocation.node_allocatable_claims = std::move(statuses);
  return status;
}

}  // namespace berth::plugins
