// SPDX-License-Identifier: Apache-2.0
// DeviceEnvironment: what an expression about a device may refer to: the variable `device`.

#pragma once

#include "cel/environment.h"

namespace berth::cel {

class DeviceEnvironment final : public Environment {
 public:
  DeviceEnvironment(const Library& functions, bool has_multiple_allocations, bool has_list_attributes)
      : Environment(functions, true),
        has_multiple_allocations_(has_multiple_allocations),
        has_list_attributes_(has_list_attributes) {}

  const Type* VariableType(TypeTable& types, std::string_view name) const override;
  size_t VariablePlace(std::string_view /*name*/) const override { return 0; }
  bool IsMessage(std::string_view type_name) const override { return type_name == kDeviceType; }
  bool HasTypeName(std::string_view name) const override { return name == kDeviceType; }
  const Type* FieldType(TypeTable& types, std::string_view type_name, std::string_view field) const override;
  std::optional<uint64_t> MaxSize(std::span<const std::string> path) const override;

  // The type of an attribute of a device.
  const Type* AttributeType(TypeTable& types) const {
    return types.Simple(has_list_attributes_ ? TypeKind::kDyn : TypeKind::kAny);
  }

 private:
  static constexpr std::string_view kDevice = "device";
  static constexpr std::string_view kDeviceType = "kubernetes.DRADevice";

  bool has_multiple_allocations_;  // device.allowMultipleAllocations
  bool has_list_attributes_;       // Attributes are dyn, otherwise any.
};

}  // namespace berth::cel
