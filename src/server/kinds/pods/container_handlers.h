// SPDX-License-Identifier: Apache-2.0
// Probes and lifecycle hooks of a container.

#pragma once

#include <cstdint>
#include <optional>

#include "server/model/field_errors.h"
#include "server/model/field_path.h"
#include "server/model/json.h"

namespace berth::server {

// Of a regular container or a sidecar. `grace_seconds` is the pod's, if it has one.
void ValidateHandlers(const Json& container, std::optional<int64_t> grace_seconds, const FieldPath& path,
                      FieldErrors& errors);

// Init containers that are no sidecars have neither probes nor hooks.
void ForbidHandlers(const Json& container, const FieldPath& path, FieldErrors& errors);

}  // namespace berth::server
