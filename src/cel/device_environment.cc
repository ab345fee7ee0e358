// SPDX-License-Identifier: Apache-2.0
#include "cel/device_environment.h"

namespace berth::cel {

const Type* DeviceEnvironment::VariableType(TypeTable& types, std::string_view name) const {
  return name == kDevice ? types.Get(TypeKind::kStruct, kDeviceType) : nullptr;
}

const Type* DeviceEnvironment::FieldType(TypeTable& types, std::string_view /*type_name*/,
                                         std::string_view field) const {
  const Type* text = types.Simple(TypeKind::kString);
  if (field == "driver") return text;
  if (field == "attributes") return types.Map(text, types.Map(text, AttributeType(types)));
  if (field == "capacity") {
    return types.Map(text, types.Map(text, types.Get(TypeKind::kStruct, "kubernetes.Quantity")));
  }
  if (field == "allowMultipleAllocations" && has_multiple_allocations_) return types.Simple(TypeKind::kBool);
  return nullptr;
}

// By the limits on devices.
std::optional<uint64_t> DeviceEnvironment::MaxSize(std::span<const std::string> path) const {
  constexpr uint64_t kDriverMax = 63;
  constexpr uint64_t kDomainMax = 63;
  constexpr uint64_t kIdMax = 32;
  constexpr uint64_t kEntriesMax = 32;
  constexpr uint64_t kAttributeMax = 64;
  if (path[0] != kDevice) return std::nullopt;
  if (path.size() == 1) return 0;
  const std::string& field = path[1];
  if (field == "driver") return path.size() == 2 ? std::optional(kDriverMax) : std::nullopt;
  if (field == "allowMultipleAllocations" && has_multiple_allocations_) {
    return path.size() == 2 ? std::optional<uint64_t>(1) : std::nullopt;
  }
  const bool is_attributes = field == "attributes";
  if (!is_attributes && field != "capacity") return std::nullopt;
  // Through maps of maps; attributes may be named, everything else must be a step over all keys or values.
  enum { kOuter, kInner, kValue, kDomain, kId } at = kOuter;
  for (size_t i = 2; i < path.size(); ++i) {
    const bool is_values = path[i] == "@values" || path[i] == "@items";
    const bool is_keys = path[i] == "@keys";
    if (at == kOuter && is_values) {
      at = kInner;
    } else if (at == kOuter && is_keys) {
      at = kDomain;
    } else if (at == kInner && (is_values || (!is_keys && is_attributes))) {
      at = kValue;
    } else if (at == kInner && is_keys) {
      at = kId;
    } else {
      return std::nullopt;
    }
  }
  switch (at) {
    case kDomain: return kDomainMax;
    case kId: return kIdMax;
    case kValue: return is_attributes ? kAttributeMax : 0;  // A quantity has no size.
    default: return kEntriesMax;
  }
}

}  // namespace berth::cel
