// SPDX-License-Identifier: Apache-2.0
// Strategic merge patch: a merge patch that knows which lists merge by key.
//
// Maps merge and null deletes. A list merges if its field says so, by key or as a set of scalars; otherwise it is
// replaced. Directives in the patch change that: `$patch` (replace or delete) in a map, `$retainKeys` beside the
// members that may stay, `$deleteFromPrimitiveList/f` and `$setElementOrder/f` beside the list f.
//
// What is merged into nothing keeps its directives except `$patch`, as upstream's does; they are then unknown fields.

#pragma once

#include "api/wire/table.h"
#include "server/model/json.h"
#include "server/model/status.h"

namespace berth::server {

// The object of type `message` as `patch`, a map, wants it. Directives of the wrong form are bad requests (400),
// anything else that cannot be merged is an error without a reason (500), all with upstream's texts. Some directives go
// out of `patch`: what is left is what upstream shows if the object turns out to be invalid.
Outcome<Json> ApplyStrategicMerge(Json object, Json& patch, const api::wire::Message& message);

}  // namespace berth::server
