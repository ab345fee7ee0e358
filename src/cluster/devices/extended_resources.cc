// SPDX-License-Identifier: Apache-2.0
#include "cluster/devices/extended_resources.h"

#include <string>

namespace berth::cluster {
namespace {

std::string ImplicitName(const api::DeviceClass& device_class) {
  return std::string(kDeviceClassPrefix) + device_class.meta.name;
}

}  // namespace

bool ExtendedResources::Loses(const api::DeviceClass& candidate) const {
  const api::DeviceClass* present =
      candidate.extended_resource_name ? ClassOf(*candidate.extended_resource_name) : nullptr;
  if (present == nullptr) return false;
  const Time created = candidate.meta.creation_timestamp.value_or(Time{});
  const Time present_created = present->meta.creation_timestamp.value_or(Time{});
  return created < present_created || (created == present_created && candidate.meta.name >= present->meta.name);
}

void ExtendedResources::Forget(const api::DeviceClass& device_class) {
  classes_.erase(ImplicitName(device_class));
  if (device_class.extended_resource_name) classes_.erase(*device_class.extended_resource_name);
}

void ExtendedResources::ClassChanged(const ClassPtr& before, const ClassPtr& after) {
  if (after == nullptr) return Forget(*before);
  if (Loses(*after)) return;
  if (before != nullptr) Forget(*before);
  if (after->extended_resource_name) classes_.insert_or_assign(*after->extended_resource_name, after);
  classes_.insert_or_assign(ImplicitName(*after), after);
}

}  // namespace berth::cluster
