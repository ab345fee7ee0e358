// SPDX-License-Identifier: Apache-2.0
// Server-side apply: merging what a manager wants into an object, with the ownership of fields that goes with it.
//
// The configuration comes as it was sent, without canonical form and defaults, because the manager owns exactly what it
// names. The result is canonical and has its managedFields; it still needs defaults, and goes on like an update (or a
// creation) whose fields are not tracked once more.
//
// Thread: any.

#pragma once

#include <string_view>

#include "server/model/json.h"
#include "server/model/object_schema.h"
#include "server/model/status.h"
#include "server/patch/managed_fields.h"

namespace berth::server {

// The configuration in the body of a request.
Outcome<Json> ReadConfig(std::string_view yaml);
// Refuses one that sets a field twice, as strict validation does once it was applied.
Outcome<void> CheckConfigIsStrict(std::string_view yaml);

// `live` is the object in the store, null if there is none yet. Refuses with 409 and the list of conflicts if the
// configuration changes what others own and `options.force` is not set, with 400 if it is of another kind or has
// managedFields, and with 500, as upstream does, if it does not fit the types of the kind.
Outcome<Json> ApplyConfig(const Json* live, const Json& config, const ObjectSchema& schema,
                          const FieldManagerOptions& options);

}  // namespace berth::server
