// SPDX-License-Identifier: Apache-2.0
// What old releases took for the amount of a resource that is requested on a node, and their rounding of it.

#pragma once

#include <cstdint>
#include <string_view>

#include "api/objects/pod.h"
#include "cluster/cluster.h"
#include "plugins/helpers/allocation_scores.h"

namespace berth::plugins::legacy {

// What a pod requests of a resource in scoring: its containers together or its largest init container, and the
// overhead. Up to v1.22 the overhead of cpu was counted in whole cores as if these were milli-cores.
int64_t PodRequest(const api::PodSpec& spec, std::string_view resource);

// A resource as columns of the node table.
struct ResourceColumns {
  const int64_t* capacity = nullptr;  // By slot; null: no node has it.
  const int64_t* used = nullptr;      // By slot.
};
// The pointers are valid until the node table changes.
ResourceColumns FindColumns(const cluster::Cluster& cluster, std::string_view resource);

// The used share of `capacity` in percent as v1.21 and older releases had it: rounded up.
constexpr int64_t UsedPercentRoundedUp(int64_t requested, int64_t capacity) {
  if (capacity == 0 || requested > capacity) return 100;
  return 100 - cluster::WrapMul(capacity - requested, 100) / capacity;
}

}  // namespace berth::plugins::legacy
