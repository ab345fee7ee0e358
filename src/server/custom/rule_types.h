// SPDX-License-Identifier: Apache-2.0
// What the rules of custom resources see of a schema: the types of its values in expressions.

#pragma once

#include <optional>

#include "cel/declared_type.h"
#include "server/custom/schema.h"

namespace berth::server {

// The type of values of the schema; nothing if expressions do not see them, because nothing is known of them.
// `is_resource`: at the root of a resource, whose kind and name are seen whatever the schema says.
std::optional<cel::DeclaredType> DeclareType(const Schema& schema, bool is_resource);

// The schema of a resource's members that are there whatever its own schema says: apiVersion, kind, and the names in
// metadata. Null for all others. `schema` is that of the resource.
const Schema* ResourceMember(const Schema& schema, std::string_view name);

}  // namespace berth::server
