// SPDX-License-Identifier: Apache-2.0
// What the API server says of itself: the Endpoints and the EndpointSlice of the Service `kubernetes`.

#pragma once

#include <cstdint>
#include <string_view>

#include "server/objects/objects.h"

namespace berth::server {

// Makes them, or brings them up to date. An address of loopback, which nobody else may publish, is told as it is:
// clients on this machine are the only ones that there are then.
void PublishApi(Objects& objects, std::string_view address, uint16_t port);

}  // namespace berth::server
