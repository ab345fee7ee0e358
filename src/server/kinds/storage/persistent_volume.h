// SPDX-License-Identifier: Apache-2.0
// The spec of persistent volumes, which are also written inline in volume attachments.

#pragma once

#include <cstdint>
#include <string_view>

#include "server/model/field_errors.h"
#include "server/model/field_path.h"
#include "server/model/json.h"

namespace berth::server {

// Fills what the user left out about where the volume is.
void DefaultVolumeSource(Json& spec);

void ValidateVolumeSpec(const Json& spec, const FieldPath& path, FieldErrors& errors);
// One that is written inline: it belongs to nobody, so it has no capacity and no claim.
void ValidateInlineVolumeSpec(const Json& spec, const FieldPath& path, FieldErrors& errors);

// Where a volume is may not change.
void ValidateVolumeSourceUnchanged(const Json& spec, const Json& old, FieldErrors& errors);

// The name of a driver, which must be there. Some kinds say in other words that its case does not matter.
enum class DriverCase : uint8_t { kLower, kAny };
void CheckDriverName(FieldErrors& errors, const FieldPath& path, std::string_view name,
                     DriverCase letters = DriverCase::kLower);

}  // namespace berth::server
