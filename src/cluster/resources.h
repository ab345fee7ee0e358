// SPDX-License-Identifier: Apache-2.0
// Resources: amounts of cpu, memory, ephemeral storage and named scalars as integers.
//
// Quantities become integers by rounding up: cpu to milli-cores, everything else to units. A scalar with amount 0 is
// present: upstream distinguishes a requested zero from no request.

#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "api/parts/resource_list.h"
#include "cluster/tables/ids.h"
#include "cluster/tables/shared_values.h"
#include "cluster/tables/string_map.h"

namespace berth::cluster {

// Arithmetic on amounts beyond int64 wraps around, as upstream's does.
constexpr int64_t WrapAdd(int64_t a, int64_t b) {
  return static_cast<int64_t>(static_cast<uint64_t>(a) + static_cast<uint64_t>(b));
}
constexpr int64_t WrapSub(int64_t a, int64_t b) {
  return static_cast<int64_t>(static_cast<uint64_t>(a) - static_cast<uint64_t>(b));
}
constexpr int64_t WrapMul(int64_t a, int64_t b) {
  return static_cast<int64_t>(static_cast<uint64_t>(a) * static_cast<uint64_t>(b));
}

// The name of a resource that is not cpu, memory, ephemeral-storage or pods (extended resources, hugepages, ...). A
// pointer to it keeps it known.
struct ResourceName {
  ResourceId id;
  std::string text;
};
using ResourceNamePtr = std::shared_ptr<const ResourceName>;

// Keeps every scalar resource name once, while some pod or node refers to it.
class ResourceNames {
 public:
  ResourceNamePtr Share(std::string_view name);
  // Looks a name up; false if nothing refers to it.
  bool Find(std::string_view name, ResourceId& id) const;
  size_t size() const { return names_.size(); }

 private:
  uint64_t next_id_ = 0;
  SharedValues<ResourceName, StringMap<std::weak_ptr<const ResourceName>>> names_;
};

struct Resources {
  int64_t cpu_milli = 0;
  int64_t memory_bytes = 0;
  int64_t ephemeral_bytes = 0;
  int64_t pods = 0;                                          // Only meaningful for allocatable.
  std::vector<std::pair<ResourceNamePtr, int64_t>> scalars;  // Sorted by id.

  int64_t scalar(ResourceId id) const;
  bool HasScalar(ResourceId id) const;
  void AddScalar(ResourceNamePtr name, int64_t amount);

  bool operator==(const Resources&) const = default;
};

// Whether upstream counts `name` as a scalar: extended, hugepages-, attachable-volumes- or prefixed with
// kubernetes.io/.
bool IsScalarName(std::string_view name);
// Whether `name` is an extended resource (domain-prefixed and not of kubernetes.io).
bool IsExtendedName(std::string_view name);

// The list as integers; names that upstream does not count are left out.
Resources ToResources(const api::ResourceList& list, ResourceNames& names);

}  // namespace berth::cluster
