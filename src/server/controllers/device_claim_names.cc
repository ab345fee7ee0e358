// SPDX-License-Identifier: Apache-2.0
#include "server/controllers/device_claim_names.h"

#include <algorithm>

#include "server/controllers/owned_pods.h"

namespace berth::server {

std::optional<std::string> DeviceClaimName(const Json& owner, const Json& entry) {
  if (const Json* name = entry.Find("resourceClaimName")) return name->text();
  for (const Json& status : owner["status"]["resourceClaimStatuses"].items()) {
    if (status["name"] == entry["name"]) return status["resourceClaimName"].text();
  }
  return std::nullopt;
}

std::vector<std::string> DeviceClaimNames(const Json& pod) {
  std::vector<std::string> names;
  for (const Json& entry : pod["spec"]["resourceClaims"].items()) {
    std::optional<std::string> name = DeviceClaimName(pod, entry);
    if (name && !name->empty()) names.push_back(*std::move(name));
  }
  const std::string& extended = pod["status"]["extendedResourceClaimStatus"]["resourceClaimName"].text();
  if (!extended.empty()) names.push_back(extended);
  return names;
}

bool IsShared(const Json& group, const Json& entry) {
  return std::ranges::any_of(group["spec"]["resourceClaims"].items(), [&](const Json& shared) {
    return shared["name"] == entry["name"] && shared["resourceClaimName"] == entry["resourceClaimName"] &&
           shared["resourceClaimTemplateName"] == entry["resourceClaimTemplateName"];
  });
}

bool IsMadeFor(const Json& claim, std::string_view uid) { return ControllerOf(claim)["uid"].text() == uid; }

bool IsMadeFor(const Json& claim, std::string_view pod_uid, std::string_view group) {
  const Json& owner = ControllerOf(claim);
  if (owner["kind"].text() == "PodGroup") return !group.empty() && owner["name"].text() == group;
  return owner["uid"].text() == pod_uid;
}

bool IsReservedFor(const Json& claim, std::string_view pod_uid, std::string_view group) {
  return std::ranges::any_of(claim["status"]["reservedFor"].items(), [&](const Json& consumer) {
    // Upstream tells groups apart by name as well.
    if (IsGroup(consumer)) return !group.empty() && consumer["name"].text() == group;
    return consumer["uid"].text() == pod_uid;
  });
}

bool IsGroup(const Json& consumer) {
  return consumer["apiGroup"].text() == "scheduling.k8s.io" && consumer["resource"].text() == "podgroups";
}

}  // namespace berth::server
