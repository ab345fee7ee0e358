// SPDX-License-Identifier: Apache-2.0
// What claims to devices say, alone and in templates, and what their status says about the devices they were given.

#pragma once

#include "server/kinds/devices/device_rules.h"
#include "server/model/field_errors.h"
#include "server/model/field_path.h"
#include "server/model/json.h"

namespace berth::server {

// Fills what the user left out, in the spec and in what was allocated.
void DefaultDeviceClaim(Json& spec);
void DefaultAllocation(Json& claim);
// Drops what no gate lets in, unless the old spec has it already.
void DropDisabledOfClaim(Json& spec, const Json& old);

// A new claim: expressions are compiled.
void ValidateDeviceClaim(const Json& spec, const FieldPath& path, DeviceErrors& errors);

// The status that a claim shall have, given the one that it has. Upstream's order of errors is that of the parts.
void ValidateClaimStatus(const Json& claim, const Json& old_status, FieldErrors& errors);

}  // namespace berth::server
