// SPDX-License-Identifier: Apache-2.0
// ResolveYamlScalar: what a YAML scalar stands for, by the rules of YAML 1.1 as kubectl applies them.
//
// `yes`, `on` and `y` are booleans, `0x1F`, `0b11`, `0o17`, `017` and `1_000` integers. Dates stay strings
// and there are no base 60 numbers. Numbers are given as JSON writes them: `017` becomes 15.

#pragma once

#include <string>
#include <string_view>

#include "api/document/value.h"

namespace berth::api {

struct YamlScalar {
  Value::Kind kind = Value::Kind::kNull;
  std::string text;       // As Value::text().
  bool is_float = false;  // Among numbers: written as one or too large for 64 bits.
};

// `tag` is the full tag or empty; `plain` says that the scalar is neither quoted nor tagged. Fails when the
// text does not fit its tag, or stands for infinity or NaN, which JSON lacks.
Result<YamlScalar> ResolveYamlScalar(std::string_view tag, bool plain, std::string text);

// Whether readers of YAML 1.1 may take the text for a point in time (2020-1-2, 2020-01-02T03:04:05Z, 2020-01-02 3:4:5)
// or for a number of base 60 (1:30). ResolveYamlScalar leaves both strings.
bool IsYamlTimestamp(std::string_view text);
bool IsYamlBase60(std::string_view text);

// The member name that a scalar key becomes. Fails for null.
Result<std::string> YamlKey(const YamlScalar& scalar);

}  // namespace berth::api
