// SPDX-License-Identifier: Apache-2.0
// The annotation in which kubectl keeps what it applied on the client's side, for its way to server-side apply.

#pragma once

#include <string_view>

#include "server/model/json.h"
#include "server/model/object_schema.h"
#include "server/patch/field_set.h"

namespace berth::server {

// The manager whose annotation it is.
constexpr std::string_view kKubectl = "kubectl";

// The fields that kubectl applied and that still have its values. Empty if there is no annotation or it cannot be used.
FieldSet LastAppliedFields(const Json& live, const ObjectSchema& schema, std::string_view api_version);

// If the object has the annotation, writes the configuration into it.
void UpdateLastApplied(Json& object, const Json& config);

}  // namespace berth::server
