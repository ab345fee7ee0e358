// SPDX-License-Identifier: Apache-2.0
// Texts that Go makes of values, where they have to be the same as upstream's.

#pragma once

#include <string>
#include <string_view>

#include "server/json.h"

namespace berth::server {

// Appends the JSON that Go writes: fit to stand in HTML.
void AppendGoJson(std::string& out, const Json& value);

// What %q prints.
std::string GoQuoted(std::string_view text);

}  // namespace berth::server
