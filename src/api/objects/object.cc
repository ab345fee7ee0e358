// SPDX-License-Identifier: Apache-2.0
#include "api/objects/object.h"

namespace berth::api {

const ObjectMeta& MetaOf(const Object& object) {
  return std::visit([](const auto& alternative) -> const ObjectMeta& { return alternative.meta; }, object);
}

}  // namespace berth::api
