// SPDX-License-Identifier: Apache-2.0
// Which claims to devices a pod uses, and whether they are its own.

#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "server/model/json.h"

namespace berth::server {

// Names, in the annotations of a claim that was made for a pod, the pod's entry that it was made for.
inline constexpr std::string_view kPodClaimAnnotation = "resource.kubernetes.io/pod-claim-name";

// The name of the claim of an entry of spec.resourceClaims; "" if the pod needs none. Nothing: it was not made yet.
std::optional<std::string> DeviceClaimName(const Json& pod, const Json& entry);

// The names of all claims that a pod uses and that were made, the one of its extended resources included.
std::vector<std::string> DeviceClaimNames(const Json& pod);

// Whether the claim was made for the pod, which then controls it.
bool IsMadeFor(const Json& claim, std::string_view pod_uid);
bool IsReservedFor(const Json& claim, std::string_view pod_uid);

}  // namespace berth::server
