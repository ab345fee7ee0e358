// SPDX-License-Identifier: Apache-2.0
// JSON merge patch (RFC 7386), with upstream's habits.
//
// Maps merge, null deletes, anything else replaces. A value that replaces something or is new loses the nulls in its
// maps, also in maps within lists.

#pragma once

#include "server/model/json.h"
#include "server/model/status.h"

namespace berth::server {

// The object as `patch` wants it. Refuses patches that are neither a map nor a list, as malformed.
Outcome<Json> ApplyMergePatch(Json object, Json patch);

// Takes the nulls out of the maps in `value`.
void DropNulls(Json& value);

}  // namespace berth::server
