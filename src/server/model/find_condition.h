// SPDX-License-Identifier: Apache-2.0
// Conditions in the status of an object, found by their type.

#pragma once

#include <string_view>

#include "server/model/json.h"

namespace berth::server {

// The first condition of this type in a list of them; null if there is none.
const Json& FindCondition(const Json& conditions, std::string_view type);
// The same, to change it; nullptr if there is none.
Json* FindMutableCondition(Json& conditions, std::string_view type);

// Whether the status of the first condition of this type is True.
inline bool IsTrue(const Json& conditions, std::string_view type) {
  return FindCondition(conditions, type)["status"].text() == "True";
}

}  // namespace berth::server
