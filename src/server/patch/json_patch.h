// SPDX-License-Identifier: Apache-2.0
// JSON patch (RFC 6902), with upstream's habits.
//
// Upstream is lenient where the standard is not: negative indices count from the end, replacing an absent member adds
// it, copying one yields null, testing one for null succeeds, and whatever stands before the first slash of a path is
// ignored. All operations apply or none.

#pragma once

#include "server/model/json.h"
#include "server/model/status.h"

namespace berth::server {

// The object after `operations`, a list of maps with op, path, from and value. Malformed lists are bad requests (400),
// more than 10,000 operations are too many (413), operations that do not apply are invalid (422), also when copies grow
// the object by more than 3 MiB; what nests the object deeper than parsers allow is a bad request.
Outcome<Json> ApplyJsonPatch(Json object, const Json& operations);
// The same, but if what one of them tests is not so, nothing is applied and that is no error.
Outcome<Json> ApplyJsonPatchIfTrue(const Json& object, const Json& operations);

}  // namespace berth::server
