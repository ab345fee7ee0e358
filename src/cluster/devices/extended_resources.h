// SPDX-License-Identifier: Apache-2.0
// ExtendedResources: which DeviceClass stands behind the name of an extended resource.
//
// A class provides deviceclass.resource.kubernetes.io/<its name> and the name that it gives itself. Of two classes that
// give the same name the newer one counts, of equally old ones that with the smaller name. As upstream has it, this is
// decided as classes are reported, and a class that loses provides nothing.
//
// Thread: core.

#pragma once

#include <memory>
#include <string_view>

#include "api/objects/resource_claim.h"
#include "cluster/tables/string_map.h"

namespace berth::cluster {

inline constexpr std::string_view kDeviceClassPrefix = "deviceclass.resource.kubernetes.io/";

class ExtendedResources {
 public:
  using ClassPtr = std::shared_ptr<const api::DeviceClass>;

  void ClassChanged(const ClassPtr& before, const ClassPtr& after);

  // The class behind the resource, or nullptr.
  const api::DeviceClass* ClassOf(std::string_view resource) const {
    const auto found = classes_.find(resource);
    return found == classes_.end() ? nullptr : found->second.get();
  }
  bool empty() const { return classes_.empty(); }
  size_t size() const { return classes_.size(); }

 private:
  bool Loses(const api::DeviceClass& candidate) const;
  void Forget(const api::DeviceClass& device_class);

  StringMap<ClassPtr> classes_;  // By the resource's name.
};

}  // namespace berth::cluster
