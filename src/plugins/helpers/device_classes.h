// SPDX-License-Identifier: Apache-2.0
// Extended resources that stand for devices of a DeviceClass.

#pragma once

#include <algorithm>
#include <string_view>

#include "cluster/object_store.h"

namespace berth::plugins {

// Every class provides an extended resource of this name with the class's name behind it.
inline constexpr std::string_view kDeviceClassPrefix = "deviceclass.resource.kubernetes.io/";

inline bool Provides(const api::DeviceClass& device_class, std::string_view resource) {
  return device_class.extended_resource_name == resource ||
         (resource.starts_with(kDeviceClassPrefix) &&
          resource.substr(kDeviceClassPrefix.size()) == device_class.meta.name);
}

// Whether some class provides the extended resource.
inline bool IsProvidedByDevices(std::string_view resource, const cluster::Objects& objects) {
  return std::ranges::any_of(objects.device_classes.all(),
                             [&](const auto& entry) { return Provides(*entry.second, resource); });
}

}  // namespace berth::plugins
