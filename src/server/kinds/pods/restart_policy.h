// SPDX-License-Identifier: Apache-2.0
// Which containers are started again when they have ended.

#pragma once

#include <cstdint>
#include <string_view>

#include "server/model/json.h"

namespace berth::server {

// Whether a container that ended with this code may start again, by the pod's policy or its own.
bool MayRestart(const Json& container, std::string_view pod_policy, int64_t exit_code);

// Whether it is an init container that goes on beside the containers of the pod.
inline bool IsSidecar(const Json& init_container) { return init_container["restartPolicy"].text() == "Always"; }

}  // namespace berth::server
