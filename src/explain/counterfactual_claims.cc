// SPDX-License-Identifier: Apache-2.0
// Changes of a pod's claims to devices, and of who else has some.
#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <utility>

#include "explain/counterfactual_search.h"
#include "explain/json_patch_ops.h"
#include "plugins/dynamic_resources/pod_claims.h"
#include "world/elsewhere.h"

namespace berth::explain {
namespace {

using api::Json;

constexpr size_t kClassesMax = 16;
constexpr size_t kHoldersMax = 16;

constexpr double kOneClaimRule = 1;
constexpr double kFewerDevices = 2;  // None.
constexpr double kDroppingClaim = 2;
constexpr double kFreeingDevices = 3.5;

scheduler::PutObject Newer(api::ResourceClaim claim) {
  world::Touch(claim.meta);
  return {std::move(claim)};
}

// The pod that alone has the claim; nullptr: none, or others too.
cluster::PodPtr HolderOf(const api::ResourceClaim& claim, const scheduler::Core& core) {
  if (!claim.allocation || claim.reserved_for.size() != 1 || claim.reserved_for.front().resource != "pods") {
    return nullptr;
  }
  return core.pods().Find(claim.meta.ns + "/" + claim.reserved_for.front().name);
}

}  // namespace

Result<void> CounterfactualSearch::TryClaims() {
  if (pod_.spec.resource_claims.empty()) return {};
  for (size_t i = 0; i < pod_.spec.resource_claims.size(); ++i) BERTH_CHECK_OK(TryDropping(i));
  const auto claims = plugins::PodClaims(*core_.MakePod(pod_), core_.cluster().objects, true);
  if (!claims) return {};
  for (size_t i = 0; i < claims->size(); ++i) {
    const std::shared_ptr<const api::ResourceClaim> claim = (*claims)[i];
    if (claim != nullptr && !claim->allocation) BERTH_CHECK_OK(TryRelaxing(pod_.spec.resource_claims[i], *claim));
  }
  return TryFreeingDevices();
}

Result<void> CounterfactualSearch::TryDropping(size_t claim) {
  const std::string& name = pod_.spec.resource_claims[claim].name;
  api::Pod changed = pod_;
  changed.spec.resource_claims.erase(changed.spec.resource_claims.begin() + static_cast<ptrdiff_t>(claim));
  std::vector<Json> operations{Removal(fmt::format("/spec/resourceClaims/{}", claim))};
  const auto release = [&](std::vector<api::Container>& containers, std::string_view field) {
    for (size_t c = 0; c < containers.size(); ++c) {
      std::vector<std::string>& used = containers[c].claims;
      for (size_t i = used.size(); i-- > 0;) {
        if (used[i] != name) continue;
        used.erase(used.begin() + static_cast<ptrdiff_t>(i));
        operations.push_back(Removal(fmt::format("/spec/{}/{}/resources/claims/{}", field, c, i)));
      }
    }
  };
  release(changed.spec.containers, "containers");
  release(changed.spec.init_containers, "initContainers");
  Counterfactual change{
      .kind = "dropClaim", .text = fmt::format("do without the resource claim {}", name), .size = kDroppingClaim};
  BERTH_CHECK_OK(Consider(changed, std::move(operations), std::move(change)));
  return {};
}

Result<void> CounterfactualSearch::TryRelaxing(const api::PodResourceClaim& entry, const api::ResourceClaim& claim) {
  // A claim that was made of a template is changed there.
  const std::string devices = entry.template_name ? "/spec/spec/devices" : "/spec/devices";
  const ObjectPatch patch{entry.template_name ? "ResourceClaimTemplate" : "ResourceClaim",
                          claim.meta.ns,
                          entry.template_name ? *entry.template_name : claim.meta.name,
                          {}};
  for (size_t i = 0; i < claim.constraints.size(); ++i) {
    api::ResourceClaim changed = claim;
    changed.constraints.erase(changed.constraints.begin() + static_cast<ptrdiff_t>(i));
    ObjectPatch made = patch;
    made.patch = Json::MakeList({Removal(fmt::format("{}/constraints/{}", devices, i))});
    Counterfactual change{.kind = "dropClaimConstraint",
                          .text = fmt::format("drop the constraint {} of the claim {}", i + 1, patch.name),
                          .size = kOneClaimRule,
                          .patches = {std::move(made)}};
    BERTH_CHECK_OK(ConsiderAfter({Newer(std::move(changed))}, std::move(change)));
  }
  for (size_t i = 0; i < claim.requests.size(); ++i) {
    const std::string path = fmt::format("{}/requests/{}", devices, i);
    if (claim.requests[i].exactly) {
      BERTH_CHECK_OK(TryRequestOf(claim, patch, [i, path](api::ResourceClaim& changed) {
        return DeviceRequestPlace{&*changed.requests[i].exactly, path + "/exactly"};
      }));
    }
    for (size_t a = 0; a < claim.requests[i].first_available.size(); ++a) {
      BERTH_CHECK_OK(TryRequestOf(claim, patch, [i, a, path](api::ResourceClaim& changed) {
        return DeviceRequestPlace{&changed.requests[i].first_available[a],
                                  fmt::format("{}/firstAvailable/{}", path, a)};
      }));
    }
  }
  return {};
}

Result<void> CounterfactualSearch::TryRequestOf(const api::ResourceClaim& claim, const ObjectPatch& patch,
                                                const std::function<DeviceRequestPlace(api::ResourceClaim&)>& place) {
  api::ResourceClaim present = claim;
  const api::ExactDeviceRequest request = *place(present).request;
  const std::string path = place(present).path;
  const auto consider = [&](std::string kind, std::string text, double size, const auto& edit,
                            Json operation) -> Result<bool> {
    api::ResourceClaim changed = claim;
    edit(*place(changed).request);
    ObjectPatch made = patch;
    made.patch = Json::MakeList({std::move(operation)});
    return ConsiderAfter(
        {Newer(std::move(changed))},
        {.kind = std::move(kind), .text = std::move(text), .size = size, .patches = {std::move(made)}});
  };
  for (size_t s = 0; s < request.selectors.size(); ++s) {
    BERTH_CHECK_OK(consider(
        "dropDeviceSelector",
        fmt::format("drop the selector {} of the claim {}", request.selectors[s].cel_expression.value_or(""),
                    patch.name),
        kOneClaimRule,
        [s](api::ExactDeviceRequest& each) {
          each.selectors.erase(each.selectors.begin() + static_cast<ptrdiff_t>(s));
        },
        Removal(fmt::format("{}/selectors/{}", path, s))));
  }
  size_t tried = 0;
  for (const auto& [key, other] : core_.cluster().objects.device_classes.all()) {
    const std::string& name = other->meta.name;
    if (name == request.device_class_name) continue;
    if (tried++ == kClassesMax) break;
    BERTH_CHECK_OK(consider(
        "otherDeviceClass", fmt::format("ask for devices of class {} in the claim {}", name, patch.name), kOneClaimRule,
        [&](api::ExactDeviceRequest& each) { each.device_class_name = name; },
        Operation("replace", path + "/deviceClassName", Json::String(name))));
  }
  if (request.allocation_mode == "All" || request.count < 2) return {};
  const auto with_count = [&](int64_t count) {
    api::ResourceClaim changed = claim;
    place(changed).request->count = count;
    return TryAfter({Newer(std::move(changed))});
  };
  const std::optional<int64_t> count = BERTH_TRY(Largest(1, request.count, with_count));
  if (!count) return {};
  const double part = static_cast<double>(request.count - *count) / static_cast<double>(request.count);
  BERTH_CHECK_OK(consider(
      "fewerDevices",
      fmt::format("ask for {} devices in place of {} in the claim {}", *count, request.count, patch.name),
      kFewerDevices * part, [&](api::ExactDeviceRequest& each) { each.count = *count; },
      Operation("replace", path + "/count", Json::Int(*count))));
  return {};
}

// A pod that has devices for itself goes, and they are free.
Result<void> CounterfactualSearch::TryFreeingDevices() {
  size_t tried = 0;
  for (const auto& [key, claim] : core_.cluster().objects.resource_claims.all()) {
    const cluster::PodPtr holder = HolderOf(*claim, core_);
    if (holder == nullptr || holder->full_name() == api::FullName(pod_.meta)) continue;
    if (tried++ == kHoldersMax) break;
    api::ResourceClaim freed = *claim;
    freed.allocation.reset();
    freed.reserved_for.clear();
    freed.devices.clear();
    freed.status += ' ';
    Json deleted{
        {"kind", Json::String("Pod")}, {"namespace", Json::String(holder->ns())}, {"name", Json::String(holder->name)}};
    Counterfactual change{.kind = "freeDevices",
                          .text = fmt::format("remove pod {}, which has devices", holder->full_name()),
                          .size = kFreeingDevices,
                          .change = Json{{"delete", std::move(deleted)}}};
    std::vector<What> told;
    told.emplace_back(scheduler::RemoveObject{"Pod", holder->ns(), holder->name});
    told.emplace_back(Newer(std::move(freed)));
    BERTH_CHECK_OK(ConsiderAfter(std::move(told), std::move(change)));
  }
  return {};
}

}  // namespace berth::explain
