// SPDX-License-Identifier: Apache-2.0
// Fields that may not change, where upstream does not say to what they were changed.

#pragma once

#include "server/model/field_errors.h"
#include "server/model/field_path.h"
#include "server/model/json.h"

namespace berth::server {

inline void CheckUnchanged(FieldErrors& errors, const FieldPath& path, const Json& value, const Json& old) {
  if (value != old) errors.Invalid(path, Json(), "field is immutable");
}

}  // namespace berth::server
