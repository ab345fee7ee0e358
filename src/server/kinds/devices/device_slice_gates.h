// SPDX-License-Identifier: Apache-2.0
// Which gate lets which fields into slices.

#pragma once

#include "framework/feature_gates.h"
#include "server/model/json.h"

namespace berth::server {

// Drops the fields of gates that are off, unless the old slice has such fields already. `old` is null for a new slice.
void DropDisabledOfSlice(Json& spec, const Json& old, const framework::FeatureGates& gates);

}  // namespace berth::server
