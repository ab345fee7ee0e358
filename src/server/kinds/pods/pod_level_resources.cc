// SPDX-License-Identifier: Apache-2.0
#include "server/kinds/pods/pod_level_resources.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "server/kinds/pods/container_resources.h"
#include "server/kinds/pods/pod_amounts.h"
#include "server/model/checks.h"

namespace berth::server {
namespace {

bool AllHaveLimit(const Json& spec, std::string_view resource) {
  for (const std::string_view list : {"initContainers", "containers", "ephemeralContainers"}) {
    for (const Json& container : spec[list].items()) {
      if (!container["resources"]["limits"].Has(resource)) return false;
    }
  }
  return true;
}

void DefaultHugePageLimits(Json& resources, const Amounts& limits) {
  for (const auto& [name, amount] : limits) {
    if (!IsHugePages(name) || resources["requests"].Has(name)) continue;
    resources.Make("limits").SetDefault(name, Json::String(amount.String()));
  }
}

void DefaultRequests(Json& resources, const Amounts& requests) {
  for (const auto& [name, amount] : requests) {
    if (!IsPodLevelResource(name) || !AllowsOvercommit(name)) continue;
    resources.Make("requests").SetDefault(name, Json::String(amount.String()));
  }
  const Json limits = resources["limits"];
  for (const Json::Member& limit : limits.members()) {
    if (IsPodLevelResource(limit.name)) resources.Make("requests").SetDefault(limit.name, limit.value);
  }
}

void DefaultLimits(const Json& spec, Json& resources, const Amounts& limits) {
  const Json requests = resources["requests"];
  for (const Json::Member& request : requests.members()) {
    const auto limit = limits.find(request.name);
    if (!IsPodLevelResource(request.name) || resources["limits"].Has(request.name)) continue;
    if (limit == limits.end() || !AllHaveLimit(spec, request.name)) continue;
    const bool is_lower = limit->second.Cmp(ToQuantity(request.value)) < 0;
    resources.Make("limits").Set(request.name, is_lower ? request.value : Json::String(limit->second.String()));
  }
}

void ValidateConsistency(const Json& spec, const FieldPath& path, FieldErrors& errors) {
  const Json& resources = spec["resources"];
  const FieldPath requests_path = path / "requests";
  for (const auto& [name, amount] : AggregateAmounts(spec, "requests")) {
    const Json* request = resources["requests"].Find(name);
    if (request == nullptr || amount.Cmp(ToQuantity(*request)) <= 0) continue;
    errors.Invalid(requests_path.Key(name), *request,
                   fmt::format("must be greater than or equal to aggregate container requests of {}", amount.String()));
  }
  const FieldPath limits_path = path / "limits";
  for (const auto& [name, amount] : AggregateAmounts(spec, "limits")) {
    const Json* limit = resources["limits"].Find(name);
    if (!IsHugePages(name) || limit == nullptr || amount.Cmp(ToQuantity(*limit)) <= 0) continue;
    errors.Invalid(limits_path.Key(name), *limit,
                   fmt::format("must be greater than or equal to aggregate container limits of {}", amount.String()));
  }
  const FieldPath containers_path = path / "containers";
  const Json& containers = spec["containers"];
  for (size_t i = 0; i < containers.size(); ++i) {
    const FieldPath container_path = containers_path[i];
    for (const Json::Member& limit : containers[i]["resources"]["limits"].members()) {
      const Json* most = resources["limits"].Find(limit.name);
      if (most == nullptr || ToQuantity(limit.value).Cmp(ToQuantity(*most)) <= 0) continue;
      const FieldPath at = container_path.Key(limit.name);
      errors.Invalid(at / "limits", limit.value,
                     fmt::format("must be less than or equal to pod limits of {}", most->text()));
    }
  }
}

constexpr std::string_view kGuaranteed = "Guaranteed";
constexpr std::string_view kBurstable = "Burstable";
constexpr std::string_view kBestEffort = "BestEffort";

std::string_view ClassOfOne(const Json& resources, std::string_view resource) {
  const Json& request = resources["requests"][resource];
  const Json& limit = resources["limits"][resource];
  if (request.text().empty() && limit.text().empty()) return kBestEffort;
  const api::Quantity amount = ToQuantity(request);
  if (amount != ToQuantity(limit)) return kBurstable;
  return amount.IsZero() ? kBestEffort : kGuaranteed;
}

std::string_view ClassOf(const Json& resources) {
  if (resources["requests"].empty() && resources["limits"].empty()) return kBestEffort;
  const std::string_view cpu = ClassOfOne(resources, "cpu");
  return cpu == ClassOfOne(resources, "memory") ? cpu : kBurstable;
}

bool HasPodLevelResources(const Json& spec) {
  const auto has = [&](std::string_view kind) {
    return std::ranges::any_of(spec["resources"][kind].members(),
                               [](const Json::Member& member) { return IsPodLevelResource(member.name); });
  };
  return has("requests") || has("limits");
}

}  // namespace

void DefaultPodLevelResources(Json& spec) {
  const Json& given = spec["resources"];
  if (given["requests"].empty() && given["limits"].empty()) return;
  Json& resources = spec.Make("resources");
  const Amounts limits = AggregateAmounts(spec, "limits");
  DefaultHugePageLimits(resources, limits);
  DefaultRequests(resources, AggregateAmounts(spec, "requests"));
  DefaultLimits(spec, resources, limits);
}

void ValidatePodLevelResources(const Json& spec, const std::vector<std::string_view>& claims, const FieldPath& path,
                               FieldErrors& errors) {
  const Json* resources = spec.Find("resources");
  if (resources == nullptr) return;
  const FieldPath at = path / "resources";
  if (spec["os"]["name"].text() == "windows") return errors.Forbidden(at, "may not be set for a windows pod");
  if (resources->Has("claims")) {
    errors.Forbidden(at / "claims", "claims may not be set for Resources at pod-level");
  }
  ValidateResources(*resources, ResourceScope::kPod, claims, at, errors);
  ValidateConsistency(spec, at, errors);
}

std::string_view QosClass(const Json& spec) {
  if (HasPodLevelResources(spec)) return ClassOf(spec["resources"]);
  std::string_view common;
  for (const std::string_view list : {"initContainers", "containers"}) {
    for (const Json& container : spec[list].items()) {
      const std::string_view own = ClassOf(container["resources"]);
      if (common.empty()) common = own;
      if (own != common) return kBurstable;
    }
  }
  return common.empty() ? kBestEffort : common;
}

}  // namespace berth::server
