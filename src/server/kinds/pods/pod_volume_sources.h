// SPDX-License-Identifier: Apache-2.0
// What each type of volume must say of itself.

#pragma once

#include <string_view>

#include "server/model/field_errors.h"
#include "server/model/field_path.h"
#include "server/model/json.h"

namespace berth::server {

// REQUIRES: `type` is the name of a volume source.
void ValidateVolumeSource(std::string_view type, const Json& source, const FieldPath& path, FieldErrors& errors);

// Volumes whose files come from the API: secrets, config maps, fields of the pod and mixtures of them.
void ValidateFilesVolume(std::string_view type, const Json& source, const FieldPath& path, FieldErrors& errors);

}  // namespace berth::server
