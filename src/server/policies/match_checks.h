// SPDX-License-Identifier: Apache-2.0
// Which requests a policy, a binding or a webhook is about, as their kinds fill it in and check it.

#pragma once

#include "server/model/field_errors.h"
#include "server/model/field_path.h"
#include "server/model/json.h"

namespace berth::server {

// Of a MatchResources, or of a webhook, which calls its rules `rules`.
void DefaultMatch(Json& match);

void CheckRule(const Json& rule, const FieldPath& path, FieldErrors& errors);
// Of a MatchResources; nothing if it is absent.
void CheckMatch(const Json& match, const FieldPath& path, FieldErrors& errors);

}  // namespace berth::server
