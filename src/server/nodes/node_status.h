// SPDX-License-Identifier: Apache-2.0
// What the kubelet of a simulated node would report.

#pragma once

#include <string_view>

#include "base/time.h"
#include "server/json.h"

namespace berth::server {

// Ready, and under no pressure.
Json ReadyConditions(Time now);
// 8 cores, 32Gi and room for 110 pods.
Json DefaultResources();
Json SimulatedNodeInfo(std::string_view name);

}  // namespace berth::server
