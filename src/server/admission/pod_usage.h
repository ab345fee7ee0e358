// SPDX-License-Identifier: Apache-2.0
// What pods use of quotas.

#pragma once

#include <set>
#include <string>
#include <string_view>

#include "server/kinds/pods/pod_amounts.h"

namespace berth::server {

// Whether a quota of this name is about pods.
bool IsPodQuota(std::string_view name);

// Of a pod that has not ended, by the names of quotas.
Amounts AmountsOfPod(const Json& pod);

std::set<std::string, std::less<>> ScopesOfPod(const Json& pod);

// What a quota of these names demands of every container though it does not ask for it: such as `cpu for: a,b`, by
// name;
// "" if nothing is missing.
std::string MissingInPod(const Json& pod, const std::set<std::string>& names);

}  // namespace berth::server
