// SPDX-License-Identifier: Apache-2.0
#include "server/controllers/device_claim_names.h"

#include <algorithm>

#include "server/controllers/owned_pods.h"

namespace berth::server {

std::optional<std::string> DeviceClaimName(const Json& pod, const Json& entry) {
  if (const Json* name = entry.Find("resourceClaimName")) return name->text();
  for (const Json& status : pod["status"]["resourceClaimStatuses"].items()) {
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

bool IsMadeFor(const Json& claim, std::string_view pod_uid) { return ControllerOf(claim)["uid"].text() == pod_uid; }

bool IsReservedFor(const Json& claim, std::string_view pod_uid) {
  return std::ranges::any_of(claim["status"]["reservedFor"].items(),
                             [&](const Json& consumer) { return consumer["uid"].text() == pod_uid; });
}

}  // namespace berth::server
