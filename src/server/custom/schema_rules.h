// SPDX-License-Identifier: Apache-2.0
// What is valid as the schema of a custom resource: structural, complete, and of what clients and servers understand.

#pragma once

#include <string>

#include "server/custom/rules.h"
#include "server/model/field_errors.h"
#include "server/model/json.h"

namespace berth::server {

// `schema` is an openAPIV3Schema, `path` its place. `has_status`: the kind has the status subresource. `known`: the
// expressions of the definition that is changed.
void ValidateSchema(const Json& schema, const std::string& path, bool has_status, const KnownExpressions& known,
                    FieldErrors& errors);

// Drops the members that no schema has. What is left may still have the wrong types.
void NormalizeMembers(Json& schema);

}  // namespace berth::server
