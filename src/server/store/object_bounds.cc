// SPDX-License-Identifier: Apache-2.0
#include "server/store/object_bounds.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>

#include "server/store/stored_object.h"

namespace berth::server {

Outcome<void> CheckBounds(const Resource& resource, const Json& object) {
  const std::string& name = object["metadata"]["name"].text();
  const std::string key = ObjectKey(object["metadata"]["namespace"].text(), name);
  if (key.size() > kObjectKeyBytesMax) {
    FieldErrors errors;
    errors.TooLong("metadata.name", kObjectKeyBytesMax - std::min(kObjectKeyBytesMax, key.size() - name.size()));
    return Invalid(resource, "", std::move(errors));
  }
  const api::TreeSize size = SizeOf(object);
  if (size.levels > kObjectLevelsMax) {
    return BadRequest(
        fmt::format("{} \"{}\" is nested too deeply: with its managed fields it has {} levels, and at most "
                    "{} can be stored",
                    resource.Qualified(), name, size.levels, kObjectLevelsMax));
  }
  if (size.bytes > kObjectBytesMax) return TooLarge(fmt::format("limit is {}", kObjectBytesMax));
  return {};
}

}  // namespace berth::server
