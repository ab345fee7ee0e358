// SPDX-License-Identifier: Apache-2.0
// The security contexts of pods and containers.

#pragma once

#include "server/model/field_errors.h"
#include "server/model/field_path.h"
#include "server/model/json.h"

namespace berth::server {

// `has_host_users`: the pod shares the users of its host.
void ValidateContainerSecurity(const Json& context, bool has_host_users, const FieldPath& path, FieldErrors& errors);

void ValidatePodSecurity(const Json& spec, const FieldPath& spec_path, FieldErrors& errors);

}  // namespace berth::server
