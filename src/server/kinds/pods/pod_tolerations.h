// SPDX-License-Identifier: Apache-2.0
// Tolerations: the taints that do not keep a pod away.

#pragma once

#include "server/model/field_errors.h"
#include "server/model/field_path.h"
#include "server/model/json.h"

namespace berth::server {

void ValidateTolerations(const Json& tolerations, const FieldPath& path, FieldErrors& errors);

// Of an existing pod: tolerations may be added, and the seconds of the old ones may change.
void ValidateAddedTolerations(const Json& tolerations, const Json& old, const FieldPath& path, FieldErrors& errors);

}  // namespace berth::server
