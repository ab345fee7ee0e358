// SPDX-License-Identifier: Apache-2.0
#include "server/model/find_condition.h"

#include <algorithm>
#include <utility>

namespace berth::server {

const Json& FindCondition(const Json& conditions, std::string_view type) {
  static const Json kNone;
  const auto found =
      std::ranges::find_if(conditions.items(), [&](const Json& condition) { return condition["type"].text() == type; });
  return found == conditions.items().end() ? kNone : *found;
}

Json* FindMutableCondition(Json& conditions, std::string_view type) {
  const Json& found = FindCondition(conditions, type);
  if (found.is_null()) return nullptr;
  const auto index = static_cast<size_t>(&found - conditions.items().data());
  return &conditions.mutable_items()[index];
}

}  // namespace berth::server
