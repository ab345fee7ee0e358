// SPDX-License-Identifier: Apache-2.0
// Claims for storage as pods with ephemeral volumes and stateful sets describe them.

#pragma once

#include "server/field_errors.h"
#include "server/json.h"
#include "server/kinds/field_path.h"

namespace berth::server {

void ValidateClaimTemplateSpec(const Json& spec, const FieldPath& path, FieldErrors& errors);

}  // namespace berth::server
