// SPDX-License-Identifier: Apache-2.0
// Validation of the conditions that newer kinds have in common.

#pragma once

#include "server/model/field_errors.h"
#include "server/model/field_path.h"
#include "server/model/json.h"

namespace berth::server {

void ValidateConditions(const Json& conditions, const FieldPath& path, FieldErrors& errors);

}  // namespace berth::server
