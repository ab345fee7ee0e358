// SPDX-License-Identifier: Apache-2.0
// The pod security standards: what pods must not do at a level, as a release of Kubernetes had it.

#pragma once

#include <cstdint>
#include <string>

#include "server/model/json.h"

namespace berth::server {

enum class SecurityLevel : uint8_t { kPrivileged, kBaseline, kRestricted };

// The release whose rules are the latest, by its minor version.
inline constexpr int kLatestStandards = 37;

// What a pod does that the level forbids, in upstream's words; "" if there is nothing. `minor`: of the release.
std::string ViolationsOf(SecurityLevel level, int minor, const Json& pod);

}  // namespace berth::server
