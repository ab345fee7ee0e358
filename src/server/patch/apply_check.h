// SPDX-License-Identifier: Apache-2.0
// Checks of a configuration before it is applied: types, names of fields, and items of lists.

#pragma once

#include <string>

#include "server/model/json.h"
#include "server/model/object_schema.h"

namespace berth::server {

// What is wrong, in upstream's words; empty if nothing is.
std::string CheckConfig(const Json& config, const ObjectSchema& schema);

}  // namespace berth::server
