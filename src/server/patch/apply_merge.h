// SPDX-License-Identifier: Apache-2.0
// Merging a configuration into an object, and taking fields out of an object, by the types of server-side apply.

#pragma once

#include "server/model/json.h"
#include "server/model/object_schema.h"
#include "server/patch/field_set.h"

namespace berth::server {

// Writes what the configuration names into the object. Associative lists keep items that only the object has, and take
// the order of the configuration for those it names.
void MergeConfig(Json& object, const Json& config, const ObjectSchema& schema);

// Takes the fields out. What is left empty becomes null.
void RemoveFields(Json& object, const FieldSet& fields, const ObjectSchema& schema);

// Adds every named field of which something below is in the set.
FieldSet WithNamedFields(FieldSet fields, const ObjectSchema& schema);

// Makes leaves of what the set has below fields that are owned as a whole.
void CloseLeaves(FieldSet& fields, const ObjectSchema& schema);

}  // namespace berth::server
