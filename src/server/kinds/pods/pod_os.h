// SPDX-License-Identifier: Apache-2.0
// What a pod may ask for depending on the operating system it needs and the users it has.

#pragma once

#include "server/model/field_errors.h"
#include "server/model/field_path.h"
#include "server/model/json.h"

namespace berth::server {

void ValidateOs(const Json& spec, const FieldPath& path, FieldErrors& errors);

// Of a pod with users of its own, not those of its host.
void ValidateOwnUsers(const Json& spec, const FieldPath& path, FieldErrors& errors);

}  // namespace berth::server
