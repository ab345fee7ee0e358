// SPDX-License-Identifier: Apache-2.0

#include "cluster/resources.h"

#include <algorithm>

#include "api/selector.h"

namespace berth::cluster {
namespace {

constexpr std::string_view kNativePrefix = "kubernetes.io/";
constexpr std::string_view kQuotaPrefix = "requests.";

auto LowerBound(auto& scalars, ResourceId id) {
  return std::lower_bound(scalars.begin(), scalars.end(), id,
                          [](const auto& scalar, ResourceId wanted) { return scalar.first < wanted; });
}

}  // namespace

ResourceId ResourceNames::Intern(std::string_view name) {
  ResourceId id;
  if (Find(name, id)) return id;
  id.index = static_cast<uint32_t>(names_.size());
  names_.emplace_back(name);
  ids_.emplace(name, id);
  return id;
}

bool ResourceNames::Find(std::string_view name, ResourceId& id) const {
  const auto it = ids_.find(name);
  if (it == ids_.end()) return false;
  id = it->second;
  return true;
}

int64_t Resources::scalar(ResourceId id) const {
  const auto it = LowerBound(scalars, id);
  return it != scalars.end() && it->first == id ? it->second : 0;
}

void Resources::AddScalar(ResourceId id, int64_t amount) {
  const auto it = LowerBound(scalars, id);
  if (it != scalars.end() && it->first == id) {
    it->second = WrapAdd(it->second, amount);
  } else {
    scalars.emplace(it, id, amount);
  }
}

bool IsExtendedName(std::string_view name) {
  if (!name.contains('/') || name.contains(kNativePrefix) || name.starts_with(kQuotaPrefix)) return false;
  return api::ValidateQualifiedName(std::string(kQuotaPrefix).append(name)).empty();
}

bool IsScalarName(std::string_view name) {
  return name.starts_with("hugepages-") || name.contains(kNativePrefix) || name.starts_with("attachable-volumes-") ||
         IsExtendedName(name);
}

Resources ToResources(const api::ResourceList& list, ResourceNames& names) {
  Resources resources;
  for (const auto& [name, quantity] : list) {
    if (name == "cpu") {
      resources.cpu_milli = quantity.MilliValue();
    } else if (name == "memory") {
      resources.memory_bytes = quantity.Value();
    } else if (name == "ephemeral-storage") {
      resources.ephemeral_bytes = quantity.Value();
    } else if (name == "pods") {
      resources.pods = quantity.Value();
    } else if (IsScalarName(name)) {
      resources.AddScalar(names.Intern(name), quantity.Value());
    }
  }
  return resources;
}

}  // namespace berth::cluster
