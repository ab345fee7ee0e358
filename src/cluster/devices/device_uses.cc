// SPDX-License-Identifier: Apache-2.0
#include "cluster/devices/device_uses.h"

namespace berth::cluster {
namespace {

void Consume(api::ResourceList& total, const api::ResourceList& consumed, int32_t sign) {
  for (const auto& [name, amount] : consumed) {
    const api::Quantity* present = total.Find(name);
    api::Quantity sum = present == nullptr ? api::Quantity() : *present;
    if (sign > 0) {
      sum.Add(amount);
    } else {
      sum.Sub(amount);
    }
    total.Set(name, std::move(sum));
  }
}

}  // namespace

void DeviceUses::Count(const api::AllocationResult& allocation, int32_t sign) {
  for (const api::DeviceRequestAllocationResult& result : allocation.results) {
    if (result.admin_access) continue;
    const PoolId id{result.driver, result.pool};
    PoolUse& pool = pools_[id].Edit();
    const auto [entry, added] = pool.try_emplace(result.device);
    if (added) ++size_;
    DeviceUse& use = entry->second;
    if (options_.consumable_capacity && result.share_id) {
      use.shares += sign;
      if (result.consumed_capacity) {
        use.consumers += sign;
        Consume(use.consumed, *result.consumed_capacity, sign);
      }
    } else {
      use.exclusive += sign;
    }
    if (use.exclusive != 0 || use.shares != 0) continue;
    pool.erase(entry);
    --size_;
    if (pool.empty()) pools_.Erase(id);
  }
}

}  // namespace berth::cluster
