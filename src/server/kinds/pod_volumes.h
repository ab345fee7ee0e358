// SPDX-License-Identifier: Apache-2.0
// The volumes of a pod.

#pragma once

#include <string_view>

#include "server/field_errors.h"
#include "server/json.h"
#include "server/kinds/container_mounts.h"
#include "server/kinds/field_path.h"

namespace berth::server {

// Those that are valid. `pod_name` is empty in templates.
Volumes ValidateVolumes(const Json& volumes, std::string_view pod_name, const FieldPath& path, FieldErrors& errors);

}  // namespace berth::server
