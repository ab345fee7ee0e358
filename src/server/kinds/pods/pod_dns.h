// SPDX-License-Identifier: Apache-2.0
// The names by which a pod knows others and is known: DNS, host aliases, its host name.

#pragma once

#include "server/model/field_errors.h"
#include "server/model/field_path.h"
#include "server/model/json.h"

namespace berth::server {

void ValidateDnsConfig(const Json& spec, const FieldPath& path, FieldErrors& errors);
void ValidateHostAliases(const Json& aliases, const FieldPath& path, FieldErrors& errors);
void ValidateHostnameOverride(const Json& spec, const FieldPath& spec_path, FieldErrors& errors);

}  // namespace berth::server
