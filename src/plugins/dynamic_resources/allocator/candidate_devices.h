// SPDX-License-Identifier: Apache-2.0
// CandidateDevices: the pools that a node sees and the devices in them, in the order in which they are tried.

#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "cluster/cluster.h"

namespace berth::plugins {

struct CandidateDevice {
  const cluster::PoolSlice* slice = nullptr;
  const api::Device* device = nullptr;
  const cluster::DeviceUse* use = nullptr;  // Null: it is not allocated.
  uint32_t index = 0;                       // In the slice.
  uint32_t pool = 0;                        // In CandidateDevices::pools.

  bool is_taken() const { return use != nullptr && use->exclusive > 0; }
  // Some claim has a part of it.
  bool is_shared() const { return use != nullptr && use->shares > 0; }
  std::string Name() const { return (*slice)->driver + "/" + (*slice)->pool.name + "/" + device->name; }
};

// Valid until the state of devices changes.
struct CandidateDevices {
  std::vector<cluster::ResourcePoolPtr> pools;
  std::vector<CandidateDevice> devices;  // Of the usable pools.

  // Fails if a slice is broken.
  static Result<CandidateDevices> Of(const cluster::DeviceState& state, const cluster::SliceNode& node);
};

}  // namespace berth::plugins
