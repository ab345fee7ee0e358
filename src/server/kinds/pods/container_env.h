// SPDX-License-Identifier: Apache-2.0
// The environment of a container, and references to fields of its pod, which volumes use too.

#pragma once

#include <span>
#include <string_view>

#include "server/model/field_errors.h"
#include "server/model/field_path.h"
#include "server/model/json.h"

namespace berth::server {

void ValidateEnvironment(const Json& container, const FieldPath& path, FieldErrors& errors);

// A reference to a field of the pod. `fields` are those that may be named here, sorted.
void ValidateFieldRef(const Json& reference, std::span<const std::string_view> fields, const FieldPath& path,
                      FieldErrors& errors);

// A reference to a request or limit. Volumes have to say of which container.
void ValidateResourceFieldRef(const Json& reference, bool is_volume, const FieldPath& path, FieldErrors& errors);

}  // namespace berth::server
