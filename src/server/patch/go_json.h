// SPDX-License-Identifier: Apache-2.0
// The JSON that Go makes of values, where it has to be the same as upstream's.

#pragma once

#include <string>

#include "server/model/json.h"

namespace berth::server {

// Appends the JSON that Go writes: fit to stand in HTML.
void AppendGoJson(std::string& out, const Json& value);

}  // namespace berth::server
