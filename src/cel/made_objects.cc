// SPDX-License-Identifier: Apache-2.0
#include "cel/made_objects.h"

#include "cel/containers.h"
#include "cel/operations.h"

namespace berth::cel {
namespace {

bool IsPatchText(std::string_view field) { return field == "op" || field == "path" || field == "from"; }

}  // namespace

bool IsMadeType(std::string_view name) {
  return name == kPatchType || name == kObjectType ||
         (name.starts_with(kObjectType) && name[kObjectType.size()] == '.');
}

const Type* MadeFieldType(TypeTable& types, std::string_view name, std::string_view field) {
  if (name != kPatchType || field == "value") return types.Simple(TypeKind::kDyn);
  return IsPatchText(field) ? types.Simple(TypeKind::kString) : nullptr;
}

Value UnsetField(const MadeObject& object, std::string_view field) {
  return object.type == kPatchType && IsPatchText(field) ? Value::String("") : Value();
}

Value EqualObjects(Arena& arena, const MadeObject& left, const MadeObject& right) {
  if (left.type != right.type) return Value::Bool(false);
  return Equal(arena, Value::Of(&left.fields), Value::Of(&right.fields));
}

}  // namespace berth::cel
