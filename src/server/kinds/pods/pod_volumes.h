// SPDX-License-Identifier: Apache-2.0
// The volumes of a pod.

#pragma once

#include <string_view>

#include "server/kinds/pods/container_mounts.h"
#include "server/model/field_errors.h"
#include "server/model/field_path.h"
#include "server/model/json.h"

namespace berth::server {

// Those that are valid. `pod_name` is empty in templates.
Volumes ValidateVolumes(const Json& volumes, std::string_view pod_name, const FieldPath& path, FieldErrors& errors);

}  // namespace berth::server
