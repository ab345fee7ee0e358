// SPDX-License-Identifier: Apache-2.0
// ToYaml: prints a Value as block YAML, to the letter as kubectl and API servers print it.
//
// Lists stand at the indentation of their key, text of several lines is written as a block where that is exact, strings
// are quoted only where they would read as something else, and long ones are folded at 80 columns. Parsing the result
// gives the same tree, except that numbers come back in normal form (1.0 as 1) and one beyond the range of double comes
// back as a string.

#pragma once

#include <cstdint>
#include <string>

#include "api/document/value.h"

namespace berth::api {

enum class YamlOrder : uint8_t {
  kAsGiven,
  kSorted,  // By name, as upstream sorts: letters behind the rest, and numbers in names by their value.
};

std::string ToYaml(Value value, YamlOrder order = YamlOrder::kAsGiven);

}  // namespace berth::api
