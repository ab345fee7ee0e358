// SPDX-License-Identifier: Apache-2.0
// DeviceUses: which devices are allocated, and how much of their capacity is consumed.
//
// Thread: core. Cost: one lookup; a device that is not allocated costs nothing.

#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "api/objects/resource_claim.h"
#include "base/copy_on_write.h"
#include "cluster/devices/resource_pools.h"
#include "cluster/tables/chunked_map.h"
#include "cluster/tables/string_map.h"

namespace berth::cluster {

struct DeviceUse {
  int32_t exclusive = 0;       // Allocations that leave nothing to others.
  int32_t shares = 0;          // Allocations of a part of it.
  int32_t consumers = 0;       // Shares that say what they consume,
  api::ResourceList consumed;  // which is this in total.
};
using PoolUse = StringMap<DeviceUse>;  // By the device's name.

class DeviceUses {
 public:
  explicit DeviceUses(const DeviceOptions& options) : options_(options) {}

  void Add(const api::AllocationResult& allocation) { Count(allocation, 1); }
  // REQUIRES: it was added.
  void Remove(const api::AllocationResult& allocation) { Count(allocation, -1); }

  // Of the devices of the pool that are allocated in some way; nullptr if none is. Valid until the next change.
  const PoolUse* Find(const PoolId& id) const {
    const CopyOnWrite<PoolUse>* found = pools_.Find(id);
    return found == nullptr ? nullptr : &**found;
  }
  bool IsAllocated(const PoolId& id, std::string_view device) const {
    const PoolUse* pool = Find(id);
    return pool != nullptr && pool->contains(device);
  }
  // Devices.
  size_t size() const { return size_; }

 private:
  void Count(const api::AllocationResult& allocation, int32_t sign);

  DeviceOptions options_;
  ChunkedMap<PoolId, CopyOnWrite<PoolUse>> pools_;
  size_t size_ = 0;
};

}  // namespace berth::cluster
