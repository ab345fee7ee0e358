// SPDX-License-Identifier: Apache-2.0
// Tolerations as they stand in objects: which taints they bear, and for how long.

#pragma once

#include <optional>
#include <string_view>

#include "base/time.h"
#include "server/model/json.h"

namespace berth::server {

// Whether these tolerations bear all of these taints that have `effect`.
bool ToleratesAll(const Json& tolerations, const Json& taints, std::string_view effect);

// How long a pod may stay on a node with these taints of effect NoExecute, from when they came; zero: not at all.
// Nothing: for ever.
std::optional<Duration> MayStayFor(const Json& tolerations, const Json& taints);

}  // namespace berth::server
