// SPDX-License-Identifier: Apache-2.0
// What is wrong with addresses and ranges of addresses, in upstream's words. See value_rules.h.

#pragma once

#include <string_view>

#include "server/model/value_rules.h"

namespace berth::server {

// A range such as 10.9.8.0/24.
Problems CheckCidr(std::string_view value);
// The family of a valid range, 4 or 6; 0 for others.
int CidrFamily(std::string_view value);

// Whether the range is inside of another and smaller. REQUIRES: both are valid.
bool IsStrictSubset(std::string_view value, std::string_view of);

// An address and the range around it, such as 10.9.8.7/24, in the one spelling that is canonical.
Problems CheckInterfaceAddress(std::string_view value);

// An address that traffic can be sent to.
Problems CheckEndpointIp(std::string_view value);

}  // namespace berth::server
