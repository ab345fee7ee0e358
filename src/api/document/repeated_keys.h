// SPDX-License-Identifier: Apache-2.0
// Keys that a map has more than once, which the conversion of YAML to JSON would hide.

#pragma once

#include <string>
#include <vector>

#include "api/document/value.h"

namespace berth::api {

// Appends a text for each of them anywhere in `value`.
void FindRepeatedKeys(Value value, std::vector<std::string>& errors);

}  // namespace berth::api
