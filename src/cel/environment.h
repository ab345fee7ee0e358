// SPDX-License-Identifier: Apache-2.0
// Environment: what an expression about a device may refer to.

#pragma once

#include <string_view>

#include "cel/library.h"
#include "cel/type.h"

namespace berth::cel {

struct Environment {
  const Library* library = nullptr;
  bool has_multiple_allocations = true;  // device.allowMultipleAllocations
  bool has_list_attributes = true;       // Attributes are dyn, otherwise any.

  static constexpr std::string_view kDevice = "device";
  static constexpr std::string_view kDeviceType = "kubernetes.DRADevice";

  const Type* DeviceType(TypeTable& types) const { return types.Get(TypeKind::kStruct, kDeviceType); }
  // The type of an attribute of a device.
  const Type* AttributeType(TypeTable& types) const {
    return types.Simple(has_list_attributes ? TypeKind::kDyn : TypeKind::kAny);
  }
  // The type of a field of `device`; nullptr if it has no such field.
  const Type* FieldType(TypeTable& types, std::string_view field) const;
};

}  // namespace berth::cel
