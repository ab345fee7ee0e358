// SPDX-License-Identifier: Apache-2.0
// Inspection: what the core holds, as text for people who debug it, and whether its parts agree.
//
// The form of the texts is upstream's dump of cache and queue. They are sorted, so that two dumps can be compared.
//
// Thread: core. Cost: grows with the cluster; not for every step.

#pragma once

#include <string>
#include <vector>

#include "scheduler/core.h"

namespace berth::scheduler {

struct Dump {
  std::string nodes;          // Every node with its pods and those nominated to it.
  std::string queue_summary;  // How many pods are in which queue.
  std::string queue_pods;     // Every pod in the queues.
};
Dump MakeDump(const Core& core);

// The pods that are in a queue, those of groups included.
std::vector<cluster::PodPtr> QueuedPods(const queue::SchedulingQueue& queue);

// Pods by uid or nodes by name: those that the API server has and the core holds nowhere, and the other way round.
struct Mismatch {
  std::vector<std::string> missed;
  std::vector<std::string> redundant;

  bool empty() const { return missed.empty() && redundant.empty(); }
};
// Compares what watches have reported with the pods on nodes and in the queues. Pending pods of other schedulers do not
// count.
Mismatch ComparePods(const Core& core);
// The same for nodes; `reported` is what the watch of nodes has brought.
Mismatch CompareNodes(const Core& core, const std::vector<std::string>& reported);

}  // namespace berth::scheduler
