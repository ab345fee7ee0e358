// SPDX-License-Identifier: Apache-2.0
// What error messages call the kinds of values.

#pragma once

#include <string_view>

#include "api/document/value.h"

namespace berth::api {

constexpr std::string_view NameOf(Value::Kind kind) {
  switch (kind) {
    case Value::Kind::kNull: return "null";
    case Value::Kind::kBool: return "a boolean";
    case Value::Kind::kNumber: return "a number";
    case Value::Kind::kString: return "a string";
    case Value::Kind::kList: return "a list";
    case Value::Kind::kMap: return "an object";
  }
  return "";
}

}  // namespace berth::api
