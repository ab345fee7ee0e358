// SPDX-License-Identifier: Apache-2.0
#include "api/object.h"

#include <array>

namespace berth::api {

std::string_view KindOf(const Object& object) {
  // In the order of the variant's alternatives.
  constexpr std::array<std::string_view, std::variant_size_v<Object>> kKinds = {
      "Pod",
      "Node",
      "Namespace",
      "PersistentVolume",
      "PersistentVolumeClaim",
      "StorageClass",
      "CSINode",
      "CSIDriver",
      "CSIStorageCapacity",
      "VolumeAttachment",
      "PodDisruptionBudget",
      "PriorityClass",
      "Service",
      "ReplicationController",
      "ReplicaSet",
      "StatefulSet",
      "ResourceClaim",
      "ResourceSlice",
      "DeviceClass",
      "DeviceTaintRule",
  };
  return kKinds[object.index()];
}

const ObjectMeta& MetaOf(const Object& object) {
  return std::visit([](const auto& alternative) -> const ObjectMeta& { return alternative.meta; }, object);
}

}  // namespace berth::api
