// SPDX-License-Identifier: Apache-2.0
#include "server/admission/quota_usage.h"

#include <fmt/format.h>

#include <algorithm>

#include "server/admission/claim_usage.h"
#include "server/admission/pod_usage.h"
#include "server/model/checks.h"

namespace berth::server {
namespace {

constexpr std::string_view kOfStorageClass = ".storageclass.storage.k8s.io/";
constexpr std::string_view kCount = "count/";
constexpr std::string_view kClaims = "persistentvolumeclaims";
constexpr std::string_view kStorage = "requests.storage";

const api::Quantity kOne = api::Quantity::FromInt(1);

std::string CountName(const Resource& resource) { return std::string(kCount) + resource.Qualified(); }

bool IsCore(const Resource& resource, std::string_view plural) {
  return resource.group.empty() && resource.plural == plural;
}

// Kinds that quotas counted under their plain names before all others could be counted.
bool HasPlainName(const Resource& resource) {
  return resource.group.empty() && IsOneOf(resource.plural, {"configmaps", "resourcequotas", "replicationcontrollers",
                                                             "secrets", "services", kClaims});
}

bool IsClaimName(std::string_view name) {
  const size_t at = name.find(kOfStorageClass);
  const std::string_view bare = at == name.npos ? name : name.substr(at + kOfStorageClass.size());
  return bare == kClaims || bare == kStorage;
}

QuotaUsage UsageOfService(const Json& service, QuotaUsage usage) {
  const Json& spec = service["spec"];
  const Json::List& ports = spec["ports"].items();
  const std::string& type = spec["type"].text();
  const bool is_balanced = type == "LoadBalancer";
  int64_t node_ports = type == "NodePort" || is_balanced ? static_cast<int64_t>(ports.size()) : 0;
  if (const Json* gives = spec.Find("allocateLoadBalancerNodePorts"); is_balanced && gives && !gives->AsBool()) {
    node_ports = std::ranges::count_if(ports, [](const Json& port) { return port["nodePort"].IntOr(0) != 0; });
  }
  usage.amounts["services.loadbalancers"] = api::Quantity::FromInt(is_balanced ? 1 : 0);
  usage.amounts["services.nodeports"] = api::Quantity::FromInt(node_ports);
  return usage;
}

// In whole bytes.
api::Quantity Rounded(const api::Quantity& amount) {
  const api::Quantity whole = api::Quantity::FromInt(amount.Value(), amount.format());
  return whole == amount ? amount : whole;
}

QuotaUsage UsageOfClaim(const Json& claim, QuotaUsage usage) {
  const Json& spec = claim["spec"];
  const Json& annotated = claim["metadata"]["annotations"]["volume.beta.kubernetes.io/storage-class"];
  const std::string& class_name = annotated.is_null() ? spec["storageClassName"].text() : annotated.text();
  const auto charge = [&](std::string_view name, const api::Quantity& amount) {
    usage.amounts[std::string(name)] = amount;
    if (!class_name.empty()) usage.amounts[fmt::format("{}{}{}", class_name, kOfStorageClass, name)] = amount;
  };
  charge(kClaims, kOne);
  if (const Json* asked = spec["resources"]["requests"].Find("storage"); asked != nullptr) {
    api::Quantity storage = Rounded(ToQuantity(*asked));
    const api::Quantity allocated = ToQuantity(claim["status"]["allocatedResources"]["storage"]);
    if (allocated.Cmp(storage) > 0) storage = Rounded(allocated);
    charge(kStorage, storage);
  }
  for (const std::string& name :
       {spec["volumeAttributesClassName"].text(), claim["status"]["currentVolumeAttributesClassName"].text(),
        claim["status"]["modifyVolumeStatus"]["targetVolumeAttributesClassName"].text()}) {
    if (name.empty()) continue;
    usage.scopes.insert("VolumeAttributesClass");
    usage.scopes.insert("VolumeAttributesClass=" + name);
  }
  return usage;
}

// Scopes are about pods, but for that of volumes.
bool IsInScope(const Json& expression, const QuotaUsage& usage) {
  const std::string& scope = expression["scopeName"].text();
  const std::string& op = expression["operator"].text();
  const bool has_values = scope == "PriorityClass" || scope == "VolumeAttributesClass";
  if (op == "Exists" || !has_values) return usage.scopes.contains(scope);
  if (!usage.scopes.contains("Pods") && scope == "PriorityClass") return false;
  if (!usage.scopes.contains("Claims") && scope == "VolumeAttributesClass") return false;
  if (op == "DoesNotExist" || (op == "NotIn" && !usage.scopes.contains(scope))) return !usage.scopes.contains(scope);
  // Of several classes one that matches is enough.
  return std::ranges::any_of(usage.scopes, [&](const std::string& name) {
    if (!name.starts_with(scope + "=")) return false;
    const auto is_it = [&](const Json& value) { return name.substr(scope.size() + 1) == value.text(); };
    return std::ranges::any_of(expression["values"].items(), is_it) == (op == "In");
  });
}

}  // namespace

bool HasQuotas(const Resource& resource) {
  const bool is_event = resource.plural == "events" && (resource.group.empty() || resource.group == "events.k8s.io");
  return resource.namespaced && !resource.is_virtual() && resource.stored == &resource && !is_event;
}

bool CountsUnder(const Resource& resource, std::string_view name, const QuotaView& view) {
  if (name.starts_with(kCount)) {
    name.remove_prefix(kCount.size());
    const size_t size = resource.plural.size();
    if (!name.starts_with(resource.plural)) return false;
    return resource.group.empty() ? name.size() == size
                                  : name.size() > size && name[size] == '.' && name.substr(size + 1) == resource.group;
  }
  if (IsCore(resource, "pods")) return IsPodQuota(name);
  if (IsCore(resource, kClaims)) return IsClaimName(name);
  if (IsCore(resource, "services")) return IsOneOf(name, {"services", "services.nodeports", "services.loadbalancers"});
  if (IsDeviceClaims(resource)) return IsDeviceQuota(name, view);
  return HasPlainName(resource) && name == resource.plural;
}

QuotaUsage UsageOf(const Resource& resource, const Json& object, const QuotaView& view) {
  QuotaUsage usage{.amounts = {{CountName(resource), kOne}}};
  if (HasPlainName(resource)) usage.amounts.emplace(resource.plural, kOne);
  if (IsCore(resource, "pods")) {
    usage.scopes = ScopesOfPod(object);
    const std::optional<Time> overdue = OverdueAt(object);
    const std::string& phase = object["status"]["phase"].text();
    if (phase == "Failed" || phase == "Succeeded" || (overdue && view.now > *overdue)) return usage;
    usage.amounts.merge(AmountsOfPod(object));
  } else if (IsCore(resource, "services")) {
    return UsageOfService(object, std::move(usage));
  } else if (IsCore(resource, kClaims)) {
    usage.scopes.insert("Claims");
    return UsageOfClaim(object, std::move(usage));
  } else if (IsDeviceClaims(resource)) {
    usage.amounts.merge(DevicesOfClaim(object, view));
  }
  return usage;
}

bool IsInScopes(const Json& quota_spec, const QuotaUsage& usage) {
  return std::ranges::all_of(quota_spec["scopes"].items(),
                             [&](const Json& scope) { return usage.scopes.contains(scope.text()); }) &&
         std::ranges::all_of(quota_spec["scopeSelector"]["matchExpressions"].items(),
                             [&](const Json& expression) { return IsInScope(expression, usage); });
}

std::optional<Time> OverdueAt(const Json& pod) {
  const Json& metadata = pod["metadata"];
  if (!metadata.Has("deletionTimestamp") || !metadata.Has("deletionGracePeriodSeconds")) return std::nullopt;
  const Result<Time> end = ParseTime(metadata["deletionTimestamp"].text());
  if (!end) return std::nullopt;
  return *end + Seconds(metadata["deletionGracePeriodSeconds"].IntOr(0));
}

}  // namespace berth::server
