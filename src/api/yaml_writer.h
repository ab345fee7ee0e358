// SPDX-License-Identifier: Apache-2.0
// ToYaml: prints a Value as block YAML, the way kubectl lays it out.
//
// Lists stand at the indentation of their key, text of several lines is written as a block where that is
// exact, and strings are quoted only where they would read as something else. Parsing the result gives
// the same tree, except that numbers come back in normal form (1.0 as 1) and one beyond the range of
// double comes back as a string.

#pragma once

#include <string>

#include "api/value.h"

namespace berth::api {

std::string ToYaml(Value value);

}  // namespace berth::api
