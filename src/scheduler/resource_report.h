// SPDX-License-Identifier: Apache-2.0
// ResourceReport: what every pod requests and is limited to, for those who add up what a cluster is used for.
//
// The numbers are those of the pod's spec, pod-level resources and overhead included, as the scheduler and the kubelet
// expect them. Pods in a terminal phase are not known here and so do not count.
//
// Thread: core. Cost: some microseconds per pod.

#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "scheduler/core.h"

namespace berth::scheduler {

struct ResourceAmount {
  std::string resource;
  std::string_view unit;  // "cores", "bytes", "integer" or empty.
  double value = 0;       // Not zero.
};

struct PodResources {
  std::string ns;
  std::string name;
  std::string node;  // Empty: pending.
  std::string scheduler;
  std::optional<int32_t> priority;
  std::vector<ResourceAmount> requests;
  std::vector<ResourceAmount> limits;
};

// In order of namespace and name.
std::vector<PodResources> ReportResources(const Core& core);

}  // namespace berth::scheduler
