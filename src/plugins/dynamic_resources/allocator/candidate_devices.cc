// SPDX-License-Identifier: Apache-2.0
#include "plugins/dynamic_resources/allocator/candidate_devices.h"

namespace berth::plugins {
namespace {

const cluster::DeviceUse* UseOf(const cluster::PoolUse* pool, const std::string& device) {
  if (pool == nullptr) return nullptr;
  const auto found = pool->find(device);
  return found == pool->end() ? nullptr : &found->second;
}

}  // namespace

Result<CandidateDevices> CandidateDevices::Of(const cluster::DeviceState& state, const cluster::SliceNode& node) {
  CandidateDevices candidates;
  candidates.pools = BERTH_TRY(state.pools().For(node));
  for (size_t i = 0; i < candidates.pools.size(); ++i) {
    const cluster::ResourcePool& pool = *candidates.pools[i];
    if (!pool.is_usable()) continue;
    const cluster::PoolUse* uses = state.uses().Find(pool.id);
    for (const cluster::PoolSlicePtr& slice : pool.slices) {
      const std::vector<api::Device>& devices = (*slice)->devices;
      for (size_t d = 0; d < devices.size(); ++d) {
        candidates.devices.push_back({.slice = slice.get(),
                                      .device = &devices[d],
                                      .use = UseOf(uses, devices[d].name),
                                      .index = static_cast<uint32_t>(d),
                                      .pool = static_cast<uint32_t>(i)});
      }
    }
  }
  return candidates;
}

}  // namespace berth::plugins
