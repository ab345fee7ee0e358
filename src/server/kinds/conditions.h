// SPDX-License-Identifier: Apache-2.0
// Validation of the conditions that newer kinds have in common.

#pragma once

#include "server/field_errors.h"
#include "server/json.h"
#include "server/kinds/field_path.h"

namespace berth::server {

void ValidateConditions(const Json& conditions, const FieldPath& path, FieldErrors& errors);

}  // namespace berth::server
