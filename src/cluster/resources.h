// SPDX-License-Identifier: Apache-2.0
// Resources: amounts of cpu, memory, ephemeral storage and named scalars as integers.
//
// Quantities become integers by rounding up: cpu to milli-cores, everything else to units. A scalar with amount 0 is
// present: upstream distinguishes a requested zero from no request.

#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "api/resource_list.h"
#include "cluster/ids.h"
#include "cluster/string_map.h"

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

// Gives every scalar resource name an id; a name keeps its id for good.
class ResourceNames {
 public:
  ResourceId Intern(std::string_view name);
  const std::string& Name(ResourceId id) const { return names_[id.index]; }
  // Looks a name up; false if it is not known.
  bool Find(std::string_view name, ResourceId& id) const;
  size_t size() const { return names_.size(); }

 private:
  std::vector<std::string> names_;
  StringMap<ResourceId> ids_;
};

struct Resources {
  int64_t cpu_milli = 0;
  int64_t memory_bytes = 0;
  int64_t ephemeral_bytes = 0;
  int64_t pods = 0;                                     // Only meaningful for allocatable.
  std::vector<std::pair<ResourceId, int64_t>> scalars;  // Sorted by id.

  int64_t scalar(ResourceId id) const;
  void AddScalar(ResourceId id, int64_t amount);

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
