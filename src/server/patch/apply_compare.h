// SPDX-License-Identifier: Apache-2.0
// Which fields an object has, and in which fields two objects differ, as server-side apply sees it.

#pragma once

#include "server/model/json.h"
#include "server/model/object_schema.h"
#include "server/patch/field_set.h"

namespace berth::server {

// The fields that the object names: leaves, items, members of maps and what is empty.
FieldSet FieldsOf(const Json& object, const ObjectSchema& schema);

struct FieldChanges {
  FieldSet changed;  // Different in the second object, or only there.
  FieldSet removed;  // Only in the first object.
};

// A null `old` is a new object of the kind: one in which fields that upstream always writes are already there.
FieldChanges CompareFields(const Json* old, const Json& object, const ObjectSchema& schema);

// Equality of values; 1 is 1.0.
bool SameValue(const Json& left, const Json& right);

}  // namespace berth::server
