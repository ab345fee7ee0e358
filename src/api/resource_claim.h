// SPDX-License-Identifier: Apache-2.0
// Devices: ResourceClaim, ResourceSlice and DeviceClass of resource.k8s.io, as far as scheduling reads them.

#pragma once

#include <optional>
#include <string>

#include "api/meta.h"

namespace berth::api {

struct ResourceClaim {
  ObjectMeta meta;
  bool is_allocated = false;  // status.allocation is set.
  std::string status;         // The whole status as JSON, to tell whether it changed; empty when nothing is in it.

  bool operator==(const ResourceClaim&) const = default;
};

struct ResourceSlice {
  ObjectMeta meta;

  bool operator==(const ResourceSlice&) const = default;
};

struct DeviceClass {
  ObjectMeta meta;
  std::optional<std::string> extended_resource_name;

  bool operator==(const DeviceClass&) const = default;
};

}  // namespace berth::api
