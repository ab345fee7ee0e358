// SPDX-License-Identifier: Apache-2.0
// Utilization: what the pods request of each node.

#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "cluster/cluster.h"

namespace berth::explain {

struct Usage {
  int64_t requested = 0;
  int64_t allocatable = 0;
  bool is_offered = true;  // The node lists the resource.

  int percent() const {
    return allocatable > 0
               ? static_cast<int>(static_cast<double>(requested) * 100 / static_cast<double>(allocatable) + 0.5)
               : 0;
  }
};

struct NodeUsage {
  std::string name;
  std::string zone;
  std::string note;  // That it is cordoned, and its taints.
  Usage pods;
  Usage cpu_milli;
  Usage memory_bytes;
  std::vector<Usage> extended;  // One for each of Utilization::extended.
};

struct Utilization {
  std::vector<std::string> extended;  // Names of extended resources that some node has; sorted.
  std::vector<NodeUsage> nodes;       // By name.
  NodeUsage total;
};

Utilization Measure(const cluster::Cluster& cluster);
// Of pods, cpu and memory alone. Cost: a tenth of that.
NodeUsage MeasureTotal(const cluster::Cluster& cluster);

// "1500m" as "1.5", and bytes as "3.5Gi".
std::string FormatCpu(int64_t milli);
std::string FormatBytes(int64_t bytes);

}  // namespace berth::explain
