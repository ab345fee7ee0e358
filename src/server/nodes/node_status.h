// SPDX-License-Identifier: Apache-2.0
// What the kubelet of a simulated node would report.

#pragma once

#include <string_view>

#include "base/time.h"
#include "server/model/json.h"

namespace berth::server {

// Ready, and under no pressure.
Json ReadyConditions(Time now);
// 8 cores, 32Gi and room for 110 pods.
Json DefaultResources();

// What a kubelet labels its node with, as far as the labels are not there yet: host name, operating system and
// architecture. A name that is too long for a label is no host name.
void AddNodeLabels(Json& labels, std::string_view name);

// Whether the status says everything that a kubelet reports.
bool IsComplete(const Json& status);
// Adds what is missing: resources (what the node has it offers, unless it says how much), addresses, node info, and if
// there is no Ready condition, that the node is ready and under no pressure. Without `address`, no address of the host
// is added.
void CompleteStatus(Json& status, std::string_view name, std::string_view address, Time now);
// The address of the host; "" if it has none.
const std::string& HostAddressOf(const Json& status);

}  // namespace berth::server
