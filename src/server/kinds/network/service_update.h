// SPDX-License-Identifier: Apache-2.0
// What the server adds to services and keeps when they change: addresses, families and ports.

#pragma once

#include "server/model/json.h"

namespace berth::server {

// Fills in the list of addresses and their families. The cluster has addresses of version 4.
void CompleteAddresses(Json& spec);

// Takes from `old` what the server gave it and the user did not repeat.
void KeepAllocated(Json& spec, const Json& old);

// A service that changes its type loses what the old type had, unless the user changed that too.
void DropOfOtherType(Json& service, const Json& old);

}  // namespace berth::server
