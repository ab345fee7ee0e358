// SPDX-License-Identifier: Apache-2.0
// Values as upstream's own types show them in errors: the members have Go's names, and all of them are there.

#pragma once

#include <string>
#include <string_view>

#include "server/model/field_errors.h"
#include "server/model/json.h"

namespace berth::server {

// The JSON of an object, or a list of objects, of a message of the API: InternalText(term, "core.v1.NodeSelectorTerm").
std::string InternalText(const Json& value, std::string_view message);

// An invalid value that is shown so.
void InvalidInternal(FieldErrors& errors, std::string path, const Json& value, std::string_view message,
                     std::string_view detail);

}  // namespace berth::server
