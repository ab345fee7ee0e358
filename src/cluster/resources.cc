// SPDX-License-Identifier: Apache-2.0

#include "cluster/resources.h"

#include <algorithm>

#include "api/parts/selector.h"

namespace berth::cluster {
namespace {

constexpr std::string_view kNativePrefix = "kubernetes.io/";
constexpr std::string_view kQuotaPrefix = "requests.";

auto LowerBound(auto& scalars, ResourceId id) {
  return std::ranges::lower_bound(scalars, id, {}, [](const auto& scalar) { return scalar.first->id; });
}

}  // namespace

ResourceNamePtr ResourceNames::Share(std::string_view name) {
  if (ResourceNamePtr known = names_.Find(name)) return known;
  std::string text(name);
  return names_.Put(text, std::make_unique<ResourceName>(ResourceName{.id = {next_id_++}, .text = text}));
}

bool ResourceNames::Find(std::string_view name, ResourceId& id) const {
  const ResourceNamePtr known = names_.Find(name);
  if (known == nullptr) return false;
  id = known->id;
  return true;
}

int64_t Resources::scalar(ResourceId id) const {
  const auto it = LowerBound(scalars, id);
  return it != scalars.end() && it->first->id == id ? it->second : 0;
}

bool Resources::HasScalar(ResourceId id) const {
  const auto it = LowerBound(scalars, id);
  return it != scalars.end() && it->first->id == id;
}

void Resources::AddScalar(ResourceNamePtr name, int64_t amount) {
  const auto it = LowerBound(scalars, name->id);
  if (it != scalars.end() && it->first == name) {
    it->second = WrapAdd(it->second, amount);
  } else {
    scalars.emplace(it, std::move(name), amount);
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
      resources.AddScalar(names.Share(name), quantity.Value());
    }
  }
  return resources;
}

}  // namespace berth::cluster
