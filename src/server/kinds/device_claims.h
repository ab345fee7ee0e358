// SPDX-License-Identifier: Apache-2.0
// What claims to devices say, alone and in templates.

#pragma once

#include <string_view>

#include "server/field_errors.h"
#include "server/json.h"
#include "server/kinds/field_path.h"

namespace berth::server {

void DefaultDeviceClaim(Json& spec);
void ValidateDeviceClaim(const Json& spec, const FieldPath& path, FieldErrors& errors);

// Selectors of devices. Expressions are not compiled.
void ValidateDeviceSelectors(const Json& selectors, const FieldPath& path, FieldErrors& errors);
// A taint of devices. Without `is_effect_new` the effect may be one that later versions know.
void ValidateDeviceTaint(const Json& taint, bool is_effect_new, const FieldPath& path, FieldErrors& errors);
// The name of a pool: subdomains separated by slashes.
void CheckPoolName(FieldErrors& errors, const FieldPath& path, std::string_view name);

}  // namespace berth::server
