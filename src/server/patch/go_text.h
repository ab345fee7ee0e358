// SPDX-License-Identifier: Apache-2.0
// Texts of JSON trees as upstream's error messages show them: the way Go prints maps, slices and types.

#pragma once

#include <string>
#include <string_view>

#include "server/model/json.h"

namespace berth::server {

// What %v prints: map[image:x ports:[1 2] y:<nil>].
std::string GoText(const Json& value);

// What %s prints: strings as they are, other scalars as in %!s(int64=5).
std::string GoStringText(const Json& value);

// The type of a decoded value: string, int64, float64, bool, map[string]interface {} or []interface {}; empty for null.
std::string_view GoType(const Json& value);

}  // namespace berth::server
