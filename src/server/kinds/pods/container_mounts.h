// SPDX-License-Identifier: Apache-2.0
// Which of its pod's volumes a container uses, and where.

#pragma once

#include <string_view>
#include <vector>

#include "server/model/field_errors.h"
#include "server/model/field_path.h"
#include "server/model/json.h"

namespace berth::server {

// The valid volumes of the pod.
using Volumes = std::vector<const Json*>;

// Null if there is none of this name.
const Json* FindVolume(const Volumes& volumes, std::string_view name);

void ValidateMounts(const Json& container, const Volumes& volumes, const FieldPath& path, FieldErrors& errors);

}  // namespace berth::server
