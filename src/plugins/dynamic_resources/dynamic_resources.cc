// SPDX-License-Identifier: Apache-2.0
#include "plugins/dynamic_resources/dynamic_resources.h"

#include <algorithm>

#include <fmt/format.h>

#include "plugins/dynamic_resources/pod_claims.h"

namespace berth::plugins {

using framework::Status;

namespace {

bool IsBackedByDevices(const std::string& resource, const cluster::ExtendedResources& classes) {
  return (cluster::IsExtendedName(resource) || resource.starts_with(cluster::kDeviceClassPrefix)) &&
         classes.ClassOf(resource) != nullptr;
}

// The claim for the pod's extended resources: one that an earlier attempt has left behind, or one that exists only
// here; nullptr if devices stand behind none of them.
ClaimPtr ExtendedResourceClaimOf(const cluster::PodInfo& pod, const cluster::Cluster& cluster) {
  const cluster::ExtendedResources& classes = cluster.devices.extended_resources();
  if (classes.empty()) return nullptr;
  const bool needs_devices = std::ranges::any_of(pod.pod_template->requests.scalars, [&](const auto& scalar) {
    return scalar.second != 0 && IsBackedByDevices(scalar.first->text, classes);
  });
  if (!needs_devices) return nullptr;
  if (ClaimPtr left_behind = cluster.devices.ExtendedResourceClaim(pod.uid)) return left_behind;
  auto claim = std::make_shared<api::ResourceClaim>();
  claim->meta.ns = pod.ns();
  claim->meta.name = kInMemoryClaimName;
  claim->meta.uid = InMemoryClaimUid(pod);
  claim->meta.annotations.Set(std::string(cluster::kExtendedResourceClaimAnnotation), "true");
  claim->meta.owner_references = {
      {.api_version = "v1", .kind = "Pod", .name = pod.name, .uid = pod.uid, .controller = true}};
  return claim;
}

Status CheckClass(const std::string& class_name, const std::string& request, const cluster::Objects& objects) {
  if (class_name.empty()) return Status::Error(fmt::format("request {}: unsupported request type", request));
  if (objects.device_classes.Find("", class_name) != nullptr) return Status::Success();
  return Status::Unresolvable(fmt::format("request {}: device class {} does not exist", request, class_name));
}

Status CheckClasses(const api::ResourceClaim& claim, const cluster::Objects& objects) {
  for (const api::DeviceRequest& request : claim.requests) {
    if (request.exactly) {
      Status status = CheckClass(request.exactly->device_class_name, request.name, objects);
      if (!status.ok()) return status;
      continue;
    }
    if (request.first_available.empty()) {
      return Status::Unresolvable(
          fmt::format("resource claim {}, request {}: unknown request type", api::FullName(claim.meta), request.name));
    }
    for (const api::ExactDeviceRequest& alternative : request.first_available) {
      Status status = CheckClass(alternative.device_class_name, request.name + "/" + alternative.name, objects);
      if (!status.ok()) return status;
    }
  }
  return Status::Success();
}

// Where the allocation of a claim can be used.
Status CompileNodes(const api::AllocationResult& allocation, PodClaim& claim) {
  if (!allocation.node_selector) return Status::Success();
  claim.nodes.emplace(*allocation.node_selector);
  for (const api::NodeSelectorMatcher::Term& term : claim.nodes->terms()) {
    if (!term.compiled) return Status::Error(term.error);
  }
  return Status::Success();
}

// A member that comes after another one finds the claim as that one leaves it.
void ShareAllocation(const framework::Cycle& cycle, PodClaim& claim) {
  if (claim.is_allocated()) return;
  const api::AllocationResult* pending =
      cycle.cluster().devices.InFlightOf(claim.claim->meta.uid, cycle.group_attempt());
  if (pending == nullptr) return;
  auto allocated = std::make_shared<api::ResourceClaim>(*claim.claim);
  allocated->allocation = *pending;
  claim.claim = std::move(allocated);
  claim.is_shared = true;
}

Status CheckUnallocated(const api::ResourceClaim& claim, bool is_named, const cluster::Cluster& cluster) {
  if (cluster.devices.IsInFlight(claim.meta.uid)) {
    std::string reason =
        fmt::format("resource claim {} is in the process of being allocated", api::FullName(claim.meta));
    // No event tells the end of a write that nobody waits for, so the pod is tried again after its backoff.
    return cluster.devices.IsAbandoned(claim.meta.uid) ? Status::Error(std::move(reason))
                                                       : Status::Unresolvable(std::move(reason));
  }
  return is_named ? CheckClasses(claim, cluster.objects) : Status::Success();
}

// Whether devices can say that they are not ready.
bool BindingMayFail(const framework::FeatureGates& gates) {
  return gates.Enabled(framework::Gate::kDRADeviceBindingConditions) &&
         gates.Enabled(framework::Gate::kDRAResourceClaimDeviceStatus);
}

}  // namespace

void DynamicResources::Args::Complete(const framework::FeatureGates& gates) {
  if (!filter_timeout && gates.Enabled(framework::Gate::kDRASchedulerFilterTimeout))
    filter_timeout = kDefaultFilterTimeout;
  if (!binding_timeout && BindingMayFail(gates)) binding_timeout = kDefaultBindingTimeout;
}

void DynamicResources::Args::Validate(const framework::ArgsCheck& check) const {
  if (!check.gates.Enabled(framework::Gate::kDRASchedulerFilterTimeout)) {
    if (filter_timeout) {
      check.errors.Forbidden(check.At("filterTimeout"), "DRASchedulingFilterTimeout feature gate is disabled");
    }
  } else if (filter_timeout && *filter_timeout < Duration()) {
    check.errors.Invalid(check.At("filterTimeout"), framework::JsonString(FormatDuration(*filter_timeout)),
                         "must be zero or positive");
  }
  if (!BindingMayFail(check.gates)) {
    if (binding_timeout) {
      check.errors.Forbidden(check.At("bindingTimeout"),
                             "DRADeviceBindingConditions or DRAResourceClaimDeviceStatus feature gate is disabled");
    }
  } else if (binding_timeout && *binding_timeout < Seconds(1)) {
    check.errors.Invalid(check.At("bindingTimeout"), framework::JsonString(FormatDuration(*binding_timeout)),
                         "must be at least 1 second");
  }
}

Result<std::unique_ptr<framework::Plugin>> DynamicResources::Create(const framework::PluginContext& context) {
  return std::make_unique<DynamicResources>(
      context.args.ValueOr<Args>().binding_timeout.value_or(Args::kDefaultBindingTimeout),
      Gates{.group_claims = context.gates.Enabled(framework::Gate::kDRAWorkloadResourceClaims),
            .placements = context.gates.Enabled(framework::Gate::kTopologyAwareWorkloadScheduling)});
}

Status DynamicResources::PreEnqueue(const cluster::PodInfo& pod, const cluster::Cluster& cluster) const {
  const auto claims = PodClaims(pod, cluster.objects, gates_.group_claims);
  return claims ? Status::Success() : Status::Unresolvable(claims.error().message);
}

const api::PodGroup* DynamicResources::GroupOf(const cluster::PodInfo& pod, const cluster::Cluster& cluster) const {
  if (!gates_.group_claims || !cluster.groups.IsMember(pod)) return nullptr;
  const cluster::PodGroupState* group = cluster.groups.Find(cluster::PodGroups::KeyOf(pod));
  return group == nullptr ? nullptr : group->object.get();
}

framework::PreFilterResult DynamicResources::PreFilter(framework::Cycle& cycle) const {
  DynamicResourcesState& state = cycle.MakeState<DynamicResourcesState>(index());
  const cluster::PodInfo& pod = cycle.pod();
  const cluster::Cluster& cluster = cycle.cluster();
  Result<std::vector<ClaimPtr>> named = PodClaims(pod, cluster.objects, gates_.group_claims);
  if (!named) return {.status = Status::Unresolvable(std::move(named).error().message)};
  std::vector<PodClaim> claims;
  const api::PodGroup* group = GroupOf(pod, cluster);
  for (size_t i = 0; i < named->size(); ++i) {
    ClaimPtr claim = std::move((*named)[i]);
    state.claim_of_entry.push_back(claim == nullptr ? "" : claim->meta.uid);
    if (claim == nullptr) continue;
    PodClaim& added = claims.emplace_back(PodClaim{.claim = std::move(claim), .nodes = {}});
    added.group = GroupOfClaim(pod.spec().resource_claims[i], group);
    ShareAllocation(cycle, added);
  }
  state.named_count = claims.size();
  if (ClaimPtr extended = ExtendedResourceClaimOf(pod, cluster)) {
    claims.push_back({.claim = std::move(extended), .nodes = {}});
  }
  if (claims.empty()) return {.status = Status::Skip()};
  for (size_t i = 0; i < claims.size(); ++i) {
    PodClaim& claim = claims[i];
    state.allocates |= !claim.is_allocated();
    Status status = claim.is_allocated() ? CompileNodes(*claim.claim->allocation, claim)
                                         : CheckUnallocated(*claim.claim, i < state.named_count, cluster);
    if (!status.ok()) return {.status = std::move(status)};
  }
  state.claims = std::move(claims);
  return {};
}

}  // namespace berth::plugins
