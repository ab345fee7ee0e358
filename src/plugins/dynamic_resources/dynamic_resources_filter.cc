// SPDX-License-Identifier: Apache-2.0
// How DynamicResources judges nodes, and what it does when none is left.
#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "plugins/dynamic_resources/allocator/allocator.h"
#include "plugins/dynamic_resources/claim_readiness.h"
#include "plugins/dynamic_resources/dynamic_resources.h"
#include "plugins/dynamic_resources/node_allocatable.h"

namespace berth::plugins {

using framework::Status;

namespace {

constexpr int64_t kAlternativesMax = 8;

bool NeedsOptionalNodeOperations(const api::AllocationResult& allocation) {
  return std::ranges::any_of(allocation.results,
                             [](const auto& result) { return !result.skip_node_operations.empty(); });
}

// The extended resources that only devices can provide on the node, sorted; nothing if the node lacks another one.
std::optional<std::vector<std::string>> ResourcesOfDevices(const cluster::PodInfo& pod, const api::Node& node,
                                                           const cluster::ExtendedResources& classes) {
  std::vector<std::string> resources;
  for (const auto& [name, amount] : pod.pod_template->requests.scalars) {
    const std::string& resource = name->text;
    if (amount == 0) continue;
    if (!cluster::IsExtendedName(resource) && !resource.starts_with(cluster::kDeviceClassPrefix)) continue;
    const api::Quantity* offered = node.allocatable.Find(resource);
    const bool has_some = offered != nullptr && offered->Value() != 0;
    if (!has_some && classes.ClassOf(resource) != nullptr) {
      resources.push_back(resource);
    } else if (offered == nullptr) {
      return std::nullopt;
    }
  }
  std::ranges::sort(resources);
  return resources;
}

// Whether the claim's allocation can be used on the node. One that is not allocated can be, for all that is known.
bool IsUsableOn(const PodClaim& claim, const api::Node& node) {
  if (claim.nodes && !claim.nodes->Matches(node.meta.labels, node.meta.name)) return false;
  if (!claim.is_allocated() || !NeedsOptionalNodeOperations(*claim.claim->allocation)) return true;
  return std::ranges::find(node.declared_features, "DRAOptionalNodeOperations") != node.declared_features.end();
}

int64_t ScoreOf(const api::ResourceClaim& claim, const api::AllocationResult& allocation) {
  int64_t score = 0;
  for (const api::DeviceRequest& request : claim.requests) {
    if (request.exactly) continue;
    for (size_t i = 0; i < request.first_available.size(); ++i) {
      const std::string name = request.name + "/" + request.first_available[i].name;
      const bool is_chosen =
          std::ranges::any_of(allocation.results, [&](const auto& result) { return result.request == name; });
      if (is_chosen) score += kAlternativesMax - static_cast<int64_t>(i);
    }
  }
  return score;
}

}  // namespace

bool DynamicResources::WillNotBeReady(const framework::Cycle& cycle, const PodClaim& claim) const {
  if (!claim.is_allocated() || !cycle.cluster().devices.options().binding_conditions) return false;
  const Result<bool> is_ready = IsReadyForBinding(*claim.claim);
  return !is_ready || (!*is_ready && BindingTimedOut(*claim.claim, binding_timeout_, cycle.now()));
}

Status DynamicResources::CheckExtendedResources(framework::Cycle& cycle, cluster::NodeSlot node,
                                                DynamicResourcesState& state, NodeAllocation& allocation) const {
  if (!state.has_extended_claim()) return Status::Success();
  const api::ResourceClaim& claim = *state.extended_claim().claim;
  // It is left over from an attempt that failed. PostFilter deletes it.
  if (!claim.requests.empty()) return Status::Unresolvable("cannot schedule extended resource claim");
  const cluster::ExtendedResources& classes = cycle.cluster().devices.extended_resources();
  auto resources = ResourcesOfDevices(cycle.pod(), *cycle.nodes().node[node.index], classes);
  if (!resources) return Status::Unresolvable("cannot fit resource");
  if (resources->empty() && state.named_count == 0) return Status::Success();
  if (!state.extended_requests || state.extended_resources != *resources) {
    state.extended_requests = MakeExtendedRequests(cycle.pod().spec(), *resources, classes);
    state.extended_resources = *std::move(resources);
    auto made = std::make_shared<api::ResourceClaim>(claim);
    made->requests = state.extended_requests->requests;
    state.made_claim = std::move(made);
    state.answers = nullptr;
  }
  allocation.extended_claim = state.made_claim;
  allocation.mappings = state.extended_requests->mappings;
  return Status::Success();
}

Status DynamicResources::Allocate(framework::Cycle& cycle, cluster::NodeSlot node, DynamicResourcesState& state,
                                  NodeAllocation& allocation) const {
  std::vector<const api::ResourceClaim*> claims;
  for (size_t i = 0; i < state.claims.size(); ++i) {
    if (state.claims[i].is_allocated()) continue;
    const bool is_extended = i >= state.named_count && allocation.extended_claim != nullptr;
    claims.push_back(is_extended ? allocation.extended_claim.get() : state.claims[i].claim.get());
  }
  if (state.answers == nullptr)
    state.answers = cycle.kept<KeptAllocations>(*this).For(claims, cycle.nodes().slot_limit());
  allocation.allocated = state.answers->Get(cycle.cluster(), node, claims);
  switch (allocation.allocated->outcome) {
    case Allocation::Outcome::kAllocated: break;
    case Allocation::Outcome::kNothing: return Status::Unresolvable("cannot allocate all claims");
    case Allocation::Outcome::kInvalidPools: return Status::Unresolvable("invalid resource pools were encountered");
    case Allocation::Outcome::kError: return Status::Error(allocation.allocated->error);
    case Allocation::Outcome::kGaveUp:
      if (cycle.observer() != nullptr) cycle.observer()->DeviceSearchGivenUp(cycle.pod());
      return Status::Error(
          fmt::format("node {}: timed out trying to allocate devices", cycle.nodes().name[node.index]));
  }
  return Status::Success();
}

Status DynamicResources::FilterNode(framework::Cycle& cycle, cluster::NodeSlot node) const {
  DynamicResourcesState& state = *cycle.state<DynamicResourcesState>(index());
  if (state.claims.empty()) return Status::Success();
  NodeAllocation allocation;
  Status status = CheckExtendedResources(cycle, node, state, allocation);
  if (!status.ok()) return status;
  // A device plugin provides all extended resources.
  if (allocation.extended_claim == nullptr && state.named_count == 0) return Status::Success();
  const api::Node& object = *cycle.nodes().node[node.index];
  const NodeAllocatable node_allocatable(cycle, state);
  std::vector<size_t> unavailable;
  for (size_t i = 0; i < state.claims.size(); ++i) {
    const PodClaim& claim = state.claims[i];
    const bool is_elsewhere = !IsUsableOn(claim, object);
    if (is_elsewhere || WillNotBeReady(cycle, claim)) unavailable.push_back(i);
    if (!is_elsewhere) status = node_allocatable.CheckSharing(claim);
    if (!status.ok()) return status;
  }
  if (state.allocates) status = Allocate(cycle, node, state, allocation);
  if (status.ok()) status = node_allocatable.Check(node, allocation);
  if (!status.ok()) return status;
  if (!unavailable.empty()) {
    state.unavailable.insert(unavailable.begin(), unavailable.end());
    return Status::Unresolvable("resourceclaim not available on the node");
  }
  if (state.allocates || !allocation.node_allocatable_claims.empty()) {
    state.nodes.insert_or_assign(node.index, std::move(allocation));
  }
  return Status::Success();
}

Status DynamicResources::Score(framework::Cycle& cycle, std::span<const cluster::NodeSlot> nodes,
                               framework::Scores& scores) const {
  const auto* state = cycle.state<DynamicResourcesState>(index());
  if (state == nullptr) return Status::Error("not found");
  if (state->claims.empty()) {
    scores.SetUniform(nodes.size(), 0);
    return Status::Success();
  }
  const std::span<int64_t> array = scores.MakeArray(nodes.size());
  for (size_t n = 0; n < nodes.size(); ++n) {
    array[n] = 0;
    const auto found = state->nodes.find(nodes[n].index);
    if (found == state->nodes.end()) continue;
    size_t next = 0;
    for (const PodClaim& claim : state->claims) {
      if (!claim.is_allocated() && next >= found->second.results().size()) {
        return Status::Error(fmt::format("number of allocations {} is smaller than number of claims needing allocation",
                                         found->second.results().size()));
      }
      const api::AllocationResult& allocation =
          claim.is_allocated() ? *claim.claim->allocation : found->second.results()[next++];
      array[n] += ScoreOf(*claim.claim, allocation);
    }
  }
  return Status::Success();
}

framework::Reach DynamicResources::score_reach(const framework::Cycle& cycle) const {
  const auto* state = cycle.state<DynamicResourcesState>(index());
  const bool has_claims = state == nullptr || !state->claims.empty();
  return has_claims ? framework::Reach::kCluster : framework::Reach::kNode;
}

Status DynamicResources::Normalize(framework::Cycle&, std::span<const cluster::NodeSlot>,
                                   framework::Scores& scores) const {
  framework::NormalizeToMax(scores, /*reverse=*/false);
  return Status::Success();
}

}  // namespace berth::plugins
