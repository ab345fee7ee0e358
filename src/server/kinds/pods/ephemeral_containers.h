// SPDX-License-Identifier: Apache-2.0
// Changes of a pod through /ephemeralcontainers, which adds containers to one that runs.

#pragma once

#include "server/model/field_errors.h"
#include "server/model/field_path.h"
#include "server/model/json.h"

namespace berth::server {

// The old pod with the new ephemeral containers.
void PrepareEphemeralContainers(Json& pod, const Json& old);
// Those that are there may neither change nor go.
void ValidateEphemeralContainersUpdate(const Json& pod, const Json& old, FieldErrors& errors);

}  // namespace berth::server
