// SPDX-License-Identifier: Apache-2.0
// What slices say about the devices of a pool.

#pragma once

#include "server/kinds/devices/device_rules.h"
#include "server/model/field_path.h"
#include "server/model/json.h"

namespace berth::server {

// `old` is null for a new slice. What a device had before is not judged again.
void ValidateSliceSpec(const Json& spec, const Json& old, DeviceErrors& errors);

// How much of a capacity the claims to a device that is shared may ask for.
void ValidateCapacityPolicy(const Json& capacity, const FieldPath& path, FieldErrors& errors);

}  // namespace berth::server
