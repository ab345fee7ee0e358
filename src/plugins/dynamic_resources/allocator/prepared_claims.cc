// SPDX-License-Identifier: Apache-2.0
#include "plugins/dynamic_resources/allocator/prepared_claims.h"

#include <algorithm>
#include <limits>

#include <fmt/format.h>

#include "plugins/dynamic_resources/allocator/consumed_capacity.h"

namespace berth::plugins {
namespace {

using cluster::DeviceOptions;

std::unexpected<Error> RequestError(const PreparedRequest& prepared, std::string_view reason) {
  return Invalid(
      fmt::format("claim {}, request {}{}", api::FullName(prepared.claim->meta), prepared.request->name, reason));
}

// Prepares the requests of one claim after the other.
class Preparation {
 public:
  Preparation(const cluster::Cluster& cluster, const CandidateDevices& candidates, const DeviceMatcher& matcher)
      : cluster_(cluster), candidates_(candidates), matcher_(matcher), options_(matcher.options()) {}

  Result<PreparedClaim> Prepare(const api::ResourceClaim& claim) const {
    PreparedClaim prepared;
    prepared.claim = &claim;
    int64_t devices = 0;
    for (const api::DeviceRequest& request : claim.requests) {
      prepared.requests.push_back(BERTH_TRY(Alternatives(claim, request)));
      const int64_t least = std::ranges::min(prepared.requests.back(), {}, &PreparedRequest::count).count;
      if (least > kAllocationResultsMax - devices) {
        return Invalid(fmt::format(
            "claim {}, request {}: adding {} devices exceeds the claim limit of {}, with {} already accounted for",
            api::FullName(claim.meta), request.name, least, kAllocationResultsMax, devices));
      }
      devices += least;
    }
    BERTH_CHECK_OK(AddConstraints(claim, prepared));
    return prepared;
  }

 private:
  Result<std::vector<PreparedRequest>> Alternatives(const api::ResourceClaim& claim,
                                                    const api::DeviceRequest& request) const {
    BERTH_CHECK_OK(CheckCapacityGate(claim, request));
    std::vector<PreparedRequest> alternatives;
    const auto add = [&](const api::ExactDeviceRequest& one, const std::string* parent) -> Result<void> {
      alternatives.emplace_back();
      alternatives.back().claim = &claim;
      alternatives.back().request = &one;
      alternatives.back().parent = parent;
      return Fill(alternatives.back());
    };
    for (const api::ExactDeviceRequest& one : request.first_available) BERTH_CHECK_OK(add(one, &request.name));
    if (alternatives.empty() && request.exactly) BERTH_CHECK_OK(add(*request.exactly, nullptr));
    if (alternatives.empty()) {
      return Invalid(fmt::format("claim {}, request {}: missing device class name (unsupported request type?)",
                                 api::FullName(claim.meta), request.name));
    }
    return alternatives;
  }

  Result<void> CheckCapacityGate(const api::ResourceClaim& claim, const api::DeviceRequest& request) const {
    if (options_.consumable_capacity || options_.stable_allocator()) return {};
    const auto refuse = [&](std::string_view kind, const std::string& name) {
      return Invalid(
          fmt::format("claim {}, {} {}: has capacity requests, but the DRAConsumableCapacity feature is disabled",
                      api::FullName(claim.meta), kind, name));
    };
    if (request.exactly && request.exactly->capacity_requests) return refuse("request", request.name);
    for (const api::ExactDeviceRequest& one : request.first_available) {
      if (one.capacity_requests) return refuse("subrequest", one.name);
    }
    return {};
  }

  Result<void> Fill(PreparedRequest& prepared) const {
    const api::ExactDeviceRequest& request = *prepared.request;
    if (!request.derived_attributes.empty() && !options_.derived_attributes) {
      return RequestError(prepared, ": cannot handle request with derived attributes, the feature is disabled");
    }
    for (size_t i = 0; i < request.selectors.size(); ++i) {
      if (request.selectors[i].cel_expression) continue;
      return RequestError(prepared,
                          fmt::format(", selector #{}: CEL expression empty (unsupported selector type?)", i));
    }
    if (request.device_class_name.empty()) {
      return RequestError(prepared, ": missing device class name (unsupported request type?)");
    }
    prepared.device_class = cluster_.objects.device_classes.Find("", request.device_class_name);
    if (prepared.device_class == nullptr) {
      return RequestError(
          prepared, fmt::format(": could not retrieve device class {0}: deviceclass.resource.k8s.io \"{0}\" not found",
                                request.device_class_name));
    }
    prepared.class_selectors = Compile(prepared.device_class->selectors);
    prepared.selectors = Compile(request.selectors);
    if (request.allocation_mode == "All") return FindAll(prepared);
    if (request.allocation_mode != "ExactCount") {
      return RequestError(prepared, ": unsupported count mode " + request.allocation_mode);
    }
    prepared.count = request.count;
    return {};
  }

  std::vector<std::shared_ptr<const cluster::CompiledSelector>> Compile(
      const std::vector<api::DeviceSelector>& selectors) const {
    std::vector<std::shared_ptr<const cluster::CompiledSelector>> compiled;
    for (const api::DeviceSelector& selector : selectors) {
      compiled.push_back(cluster_.devices.selectors().Get(selector.cel_expression.value_or("")));
    }
    return compiled;
  }

  Result<void> FindAll(PreparedRequest& prepared) const {
    prepared.wants_all = true;
    uint32_t device = 0;
    for (size_t pool = 0; pool < candidates_.pools.size(); ++pool) {
      const cluster::ResourcePool& seen = *candidates_.pools[pool];
      const char* problem = seen.is_incomplete ? "being updated" : seen.is_invalid ? "invalid" : nullptr;
      if (problem != nullptr) {
        return RequestError(prepared, fmt::format(": asks for all devices, but resource pool {} is currently {}",
                                                  seen.id.ToString(), problem));
      }
      for (; device < candidates_.devices.size() && candidates_.devices[device].pool == pool; ++device) {
        if (BERTH_TRY(CanServe(prepared, device))) prepared.all_devices.push_back(device);
      }
    }
    prepared.count = static_cast<int64_t>(prepared.all_devices.size());
    return {};
  }

  // What is in use does not matter: it makes the allocation fail later.
  Result<bool> CanServe(const PreparedRequest& prepared, uint32_t device) const {
    if (!BERTH_TRY(matcher_.IsSelectable(prepared, device))) return false;
    if (!options_.consumable_capacity) return true;
    const auto consumed = matcher_.Consumes(prepared, device);
    const api::Device& candidate = *candidates_.devices[device].device;
    if (!consumed) {
      return RequestError(
          prepared, fmt::format(": checking capacity for device {}: {}", candidate.name, consumed.error().message));
    }
    return *consumed && CapacitySuffices(candidate, nullptr, nullptr, **consumed);
  }

  Result<void> AddConstraints(const api::ResourceClaim& claim, PreparedClaim& prepared) const {
    for (size_t i = 0; i < claim.constraints.size(); ++i) {
      const api::DeviceConstraint& written = claim.constraints[i];
      if (!written.match_attribute && (!written.distinct_attribute || options_.stable_allocator())) {
        return Invalid(fmt::format("claim {}, constraint #{}: empty constraint (unsupported constraint type?)",
                                   api::FullName(claim.meta), i));
      }
      prepared.constraints.push_back(std::make_unique<DeviceConstraint>(written, options_.list_attributes));
      for (std::vector<PreparedRequest>& alternatives : prepared.requests) {
        for (PreparedRequest& one : alternatives) {
          const bool covers = one.parent == nullptr
                                  ? prepared.constraints.back()->CoversRequest(one.request->name, nullptr)
                                  : prepared.constraints.back()->CoversRequest(*one.parent, &one.request->name);
          if (covers) one.constraints.push_back(prepared.constraints.back().get());
        }
      }
    }
    return {};
  }

  const cluster::Cluster& cluster_;
  const CandidateDevices& candidates_;
  const DeviceMatcher& matcher_;
  const DeviceOptions& options_;
};

}  // namespace

Result<bool> DeviceMatcher::SelectorsMatch(const PreparedRequest& request, bool of_class,
                                           const CandidateDevice& device) const {
  const auto& selectors = of_class ? request.class_selectors : request.selectors;
  const auto sharing = options().stable_allocator() ? cluster::Sharing::kHidden : cluster::Sharing::kShown;
  const auto owner = [&] {
    return of_class ? "class " + request.device_class->meta.name : "claim " + api::FullName(request.claim->meta);
  };
  for (size_t i = 0; i < selectors.size(); ++i) {
    const cluster::CompiledSelector& selector = *selectors[i];
    if (!selector.expression) {
      return Invalid(
          fmt::format("{}: selector #{}: CEL compile error: {}", owner(), i, selector.expression.error().detail));
    }
    const Result<bool> matches = device.slice->Matches(selector, device.index, sharing);
    if (!matches) {
      return Invalid(fmt::format("{}: selector #{} on device {}: CEL runtime error: {}", owner(), i, device.Name(),
                                 matches.error().message));
    }
    if (!*matches) return false;
  }
  return true;
}

Result<bool> DeviceMatcher::IsSelectable(const PreparedRequest& request, uint32_t device) const {
  const CandidateDevice& candidate = candidates_.devices[device];
  if (!options().binding_conditions && !candidate.device->binding_conditions.empty()) return false;
  if (!BERTH_TRY(SelectorsMatch(request, true, candidate))) return false;
  if (!BERTH_TRY(SelectorsMatch(request, false, candidate))) return false;
  if (!candidate.slice->per_device_selection()) return true;
  return candidate.slice->DeviceIsFor(candidate.index, node_);
}

bool DeviceMatcher::ToleratesTaints(const PreparedRequest& request, uint32_t device) const {
  if (!options().taints) return true;
  return std::ranges::all_of(candidates_.devices[device].device->taints, [&](const api::DeviceTaint& taint) {
    if (taint.effect != "NoSchedule" && taint.effect != "NoExecute") return true;
    return std::ranges::any_of(request.request->tolerations,
                               [&](const auto& toleration) { return api::Tolerates(toleration, taint); });
  });
}

Result<std::optional<api::ResourceList>> DeviceMatcher::Consumes(const PreparedRequest& request,
                                                                 uint32_t device) const {
  return ConsumedCapacity(request.request->capacity_requests, *candidates_.devices[device].device,
                          options().fractional_capacity);
}

Result<std::vector<PreparedClaim>> PrepareClaims(std::span<const api::ResourceClaim* const> claims,
                                                 const cluster::Cluster& cluster, const CandidateDevices& candidates,
                                                 const DeviceMatcher& matcher) {
  const Preparation preparation(cluster, candidates, matcher);
  std::vector<PreparedClaim> prepared;
  for (const api::ResourceClaim* claim : claims) prepared.push_back(BERTH_TRY(preparation.Prepare(*claim)));
  return prepared;
}

}  // namespace berth::plugins
