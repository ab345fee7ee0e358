// SPDX-License-Identifier: Apache-2.0
// What a schema makes of an object before it is validated: unknown members go, and defaults come.

#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "server/custom/schema.h"
#include "server/model/json.h"

namespace berth::server {

// Drops the members that the schema does not have; those that say what the object is, and its metadata, stay.
// `unknown`, if it is given, gets their paths, sorted.
void PruneObject(Json& object, const Schema& schema, std::vector<std::string>* unknown);

// The same for a value inside of an object.
void PruneValue(Json& value, const Schema& schema);

// Drops nulls where none may be, unless there is a default, and sets what has a default and is not there.
void DefaultObject(Json& object, const Schema& schema);

// Makes metadata canonical, that of embedded objects too. Fails if it has the wrong types. `unknown` gets the paths of
// unknown members.
Result<void> SettleMetadata(Json& object, const Schema& schema, std::vector<std::string>* unknown);

}  // namespace berth::server
