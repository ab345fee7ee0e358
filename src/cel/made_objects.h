// SPDX-License-Identifier: Apache-2.0
// Objects that expressions about mutations make: Object{spec: Object.spec{replicas: 3}} and JSONPatch{op: "remove",
// ...}.
//
// A type that begins with Object takes any fields; whether its name is that of the place where it stands is for whoever
// uses the object to see.

#pragma once

#include <string>
#include <string_view>

#include "cel/arena.h"
#include "cel/type.h"
#include "cel/value.h"

namespace berth::cel {

struct MadeObject {
  std::string_view type;
  const Map& fields;
};

inline constexpr std::string_view kObjectType = "Object";
inline constexpr std::string_view kPatchType = "JSONPatch";

// Whether it is the name of such a type.
bool IsMadeType(std::string_view name);
// nullptr if it has no such field. REQUIRES: the name is one of a type that can be made.
const Type* MadeFieldType(TypeTable& types, std::string_view name, std::string_view field);

// What a field is that was not set.
Value UnsetField(const MadeObject& object, std::string_view field);
Value EqualObjects(Arena& arena, const MadeObject& left, const MadeObject& right);

}  // namespace berth::cel
