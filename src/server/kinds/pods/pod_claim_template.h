// SPDX-License-Identifier: Apache-2.0
// Claims for storage as pods with ephemeral volumes and stateful sets describe them.

#pragma once

#include <string_view>

#include "server/model/field_errors.h"
#include "server/model/field_path.h"
#include "server/model/json.h"

namespace berth::server {

void ValidateClaimTemplateSpec(const Json& spec, const FieldPath& path, FieldErrors& errors);

// Parts of it, which volumes have too.
void ValidateAccessModes(const Json& modes, const FieldPath& path, FieldErrors& errors);
// The class of storage or of attributes that the member `name` of the spec names.
void ValidateClassName(const Json& spec, std::string_view name, const FieldPath& path, FieldErrors& errors);

}  // namespace berth::server
