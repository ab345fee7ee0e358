// SPDX-License-Identifier: Apache-2.0
// Which claims to devices a pod or a group of pods uses, and whether they are its own.
//
// The entries of both look the same, and so do their statuses. Pods of a group share the claims of those entries that
// the group has as well: such a claim is made and reserved for the group.

#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "server/model/json.h"

namespace berth::server {

// Names, in the annotations of a claim that was made for a pod, the pod's entry that it was made for.
inline constexpr std::string_view kPodClaimAnnotation = "resource.kubernetes.io/pod-claim-name";

// The name of the claim of an entry of spec.resourceClaims; "" if the owner needs none. Nothing: it was not made yet.
std::optional<std::string> DeviceClaimName(const Json& owner, const Json& entry);

// Whether the entry of a pod is one of its group.
bool IsShared(const Json& group, const Json& entry);

// The names of all claims that a pod uses and that were made, the one of its extended resources included.
std::vector<std::string> DeviceClaimNames(const Json& pod);

// Whether the claim was made for the pod or group of this uid, which then controls it.
bool IsMadeFor(const Json& claim, std::string_view uid);
// The same for a pod or, if the name is not empty, its group.
bool IsMadeFor(const Json& claim, std::string_view pod_uid, std::string_view group);
bool IsReservedFor(const Json& claim, std::string_view pod_uid, std::string_view group);
// Whether the consumer of a claim is a group of pods.
bool IsGroup(const Json& consumer);

}  // namespace berth::server
