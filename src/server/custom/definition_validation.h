// SPDX-License-Identifier: Apache-2.0
// What is valid as a CustomResourceDefinition, besides its metadata.

#pragma once

#include "server/model/field_errors.h"
#include "server/model/json.h"

namespace berth::server {

// `old` is null for a new definition. Versions whose schemas stay as they were are not looked at again.
void ValidateDefinition(const Json& definition, const Json* old, FieldErrors& errors);

}  // namespace berth::server
