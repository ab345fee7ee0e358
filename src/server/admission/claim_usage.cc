// SPDX-License-Identifier: Apache-2.0
#include "server/admission/claim_usage.h"

#include "server/admission/pod_usage.h"
#include "server/kinds/pods/container_resources.h"

namespace berth::server {
namespace {

constexpr std::string_view kOfClass = ".deviceclass.resource.k8s.io/devices";
constexpr std::string_view kImplicit = "requests.deviceclass.resource.kubernetes.io/";
constexpr std::string_view kRequests = "requests.";
constexpr std::string_view kForExtended = "resource.kubernetes.io/extended-resource-claim";
constexpr int64_t kAllocatedMax = 32;  // Devices of one claim.

const ClassNames& ClassesOf(const QuotaView& view) {
  if (view.classes != nullptr) return *view.classes;
  const auto names = std::make_shared<ClassNames>();
  for (const auto& [name, device_class] : view.store.All(view.catalog.Get("resource.k8s.io", "deviceclasses"))) {
    const TreePtr tree = device_class->tree();
    const std::string& resource = (*tree)["spec"]["extendedResourceName"].text();
    names->resources.emplace(name, resource);
    if (!resource.empty()) names->all_resources.insert(resource);
  }
  view.classes = names;
  return *view.classes;
}

// The extended resource that a class stands for; "" if it is none.
std::string ExtendedResourceOf(std::string_view device_class, const QuotaView& view) {
  const auto found = ClassesOf(view).resources.find(device_class);
  return found == ClassesOf(view).resources.end() ? std::string() : found->second;
}

int64_t CountOf(const Json& request) {
  const std::string& mode = request["allocationMode"].text();
  if (mode == "All") return kAllocatedMax;  // At worst.
  return mode == "ExactCount" ? request["count"].IntOr(0) : 0;
}

std::string NameOf(const Json& request) { return request["deviceClassName"].text() + std::string(kOfClass); }

Amounts DevicesOfRequest(const Json& request) {
  Amounts devices;
  if (const Json& exactly = request["exactly"]; exactly.is_map()) {
    devices[NameOf(exactly)] = api::Quantity::FromInt(CountOf(exactly));
  }
  for (const Json& one : request["firstAvailable"].items()) {
    if (CountOf(one) > 0) RaiseAmounts(devices, {{NameOf(one), api::Quantity::FromInt(CountOf(one))}});
  }
  return devices;
}

const Json& ControllerIn(const Json& owners) {
  static const Json kNone;
  for (const Json& owner : owners.items()) {
    if (owner["controller"].AsBool()) return owner;
  }
  return kNone;
}

const Json& ControllerOf(const Json& claim) { return ControllerIn(claim["metadata"]["ownerReferences"]); }

bool IsForExtended(const Json& claim) {
  return claim["metadata"]["annotations"][kForExtended].text() == "true" &&
         ControllerOf(claim)["kind"].text() == "Pod" && ControllerOf(claim)["apiVersion"].text() == "v1";
}

// Whether the pod has an earlier claim for its extended resources.
bool HasEarlierClaim(const Json& claim, const std::string& pod_uid, const QuotaView& view) {
  const std::string prefix = claim["metadata"]["namespace"].text() + "/";
  const Store::Objects& all = view.store.All(view.catalog.Get("resource.k8s.io", "resourceclaims"));
  const auto order = [](const Json& metadata) {
    return std::pair(metadata["creationTimestamp"].text(), metadata["name"].text());
  };
  for (auto at = all.lower_bound(prefix); at != all.end() && at->first.starts_with(prefix); ++at) {
    if (ControllerIn(at->second->owners())["uid"].text() != pod_uid) continue;
    const TreePtr other = at->second->tree();
    if (IsForExtended(*other) && order((*other)["metadata"]) < order(claim["metadata"])) {
      return true;
    }
  }
  return false;
}

// What the pod counts for which the claim was made.
Amounts CountedByPod(const Json& claim, const QuotaView& view) {
  if (!IsForExtended(claim)) return {};
  const Json& owner = ControllerOf(claim);
  const ObjectPtr pod =
      view.store.Find(view.catalog.Get("", "pods"), claim["metadata"]["namespace"].text(), owner["name"].text());
  if (pod == nullptr || pod->uid() != owner["uid"].text()) return {};
  const TreePtr tree = pod->tree();
  const Json* status = (*tree)["status"].Find("extendedResourceClaimStatus");
  if (status != nullptr && (*status)["resourceClaimName"].text() != claim["metadata"]["name"].text()) return {};
  if (status == nullptr && HasEarlierClaim(claim, pod->uid(), view)) return {};
  return UsageOf(view.catalog.Get("", "pods"), *tree, view).amounts;
}

}  // namespace

bool IsDeviceClaims(const Resource& resource) {
  return resource.group == "resource.k8s.io" && resource.plural == "resourceclaims";
}

bool IsDeviceQuota(std::string_view name, const QuotaView& view) {
  if (name.ends_with(kOfClass)) return true;
  if (name.starts_with(kImplicit) && !ExtendedResourceOf(name.substr(kImplicit.size()), view).empty()) return true;
  if (!name.starts_with(kRequests)) return false;
  const std::string_view bare = name.substr(kRequests.size());
  constexpr std::string_view kOfDevices = kImplicit.substr(kRequests.size());
  if (bare.starts_with(kOfDevices)) {
    return ClassesOf(view).resources.contains(bare.substr(kOfDevices.size()));
  }
  return !IsNativeResource(name) && ClassesOf(view).all_resources.contains(bare);
}

Amounts DevicesOfClaim(const Json& claim, const QuotaView& view) {
  Amounts devices;
  for (const Json& request : claim["spec"]["devices"]["requests"].items()) {
    AddAmounts(devices, DevicesOfRequest(request));
  }
  const Amounts counted = CountedByPod(claim, view);
  Amounts extended;
  for (const auto& [name, amount] : devices) {
    const std::string device_class = name.substr(0, name.size() - kOfClass.size());
    if (device_class.empty()) continue;
    extended[std::string(kImplicit) + device_class] = amount;
    const std::string resource = ExtendedResourceOf(device_class, view);
    if (!resource.empty()) extended[std::string(kRequests) + resource] = amount;
  }
  for (auto& [name, amount] : extended) {
    if (const auto own = counted.find(name); own != counted.end()) amount.Sub(own->second);
    if (amount.Sign() > 0) devices[name] = amount;
  }
  return devices;
}

}  // namespace berth::server
