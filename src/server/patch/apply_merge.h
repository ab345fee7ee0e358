// SPDX-License-Identifier: Apache-2.0
// Merging a configuration into an object, and taking fields out of an object, by the types of server-side apply.

#pragma once

#include "api/wire/table.h"
#include "server/model/json.h"
#include "server/patch/field_set.h"

namespace berth::server {

// Writes what the configuration names into the object. Associative lists keep items that only the object has, and take
// the order of the configuration for those it names.
void MergeConfig(Json& object, const Json& config, const api::wire::Message& message);

// Takes the fields out. What is left empty becomes null.
void RemoveFields(Json& object, const FieldSet& fields, const api::wire::Message& message);

// Adds every named field of which something below is in the set.
FieldSet WithNamedFields(FieldSet fields, const api::wire::Message& message);

// Makes leaves of what the set has below fields that are owned as a whole.
void CloseLeaves(FieldSet& fields, const api::wire::Message& message);

}  // namespace berth::server
