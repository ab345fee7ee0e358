// SPDX-License-Identifier: Apache-2.0
// The resources that quotas and ranges of limits know by name.

#pragma once

#include <string>
#include <string_view>

#include "server/model/field_errors.h"
#include "server/model/field_path.h"

namespace berth::server {

bool IsQuotaResource(std::string_view name);

// Names that have no domain must be known.
void CheckResourceName(FieldErrors& errors, const FieldPath& path, const std::string& name);

}  // namespace berth::server
