// SPDX-License-Identifier: Apache-2.0
// How many devices of a class a node has, for scoring extended resources that devices provide.

#pragma once

#include <cstdint>

#include "cluster/cluster.h"

namespace berth::plugins {

struct DeviceCounts {
  int64_t total = 0;
  int64_t allocated = 0;
};

// As upstream counts: in slices of every generation, whether their pools are complete or not. Nothing if a selector or
// a slice is broken.
DeviceCounts CountDevices(const cluster::Cluster& cluster, const api::Node& node, const api::DeviceClass& device_class);

}  // namespace berth::plugins
