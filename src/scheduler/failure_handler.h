// SPDX-License-Identifier: Apache-2.0
// FailureHandler: what becomes of a pod whose attempt or binding failed, in queue, nominations and cluster state.
//
// The pod goes back to the queue in the newest version that the API server has reported; a pod that is gone, has a node
// (unless it awaits a resize there) or was created anew does not. Telling the world (the FailedScheduling event, the
// PodScheduled condition) is left to the caller, who learns which version of the pod to tell it about.
//
// Thread: core.

#pragma once

#include <memory>
#include <optional>
#include <string>

#include "cluster/cluster.h"
#include "queue/pod_store.h"
#include "queue/scheduling_queue.h"

namespace berth::scheduler {

struct Failure {
  // Who rejected the pod; both are empty after an internal error and when there are no nodes.
  queue::PluginSet unschedulable_plugins = {};
  queue::PluginSet pending_plugins = {};
  // Present: the pod's nomination becomes this (empty: is cleared). Absent: it is what the pod's status says.
  std::optional<std::string> nominated_node_name = std::nullopt;
};

class FailureHandler {
 public:
  FailureHandler(cluster::Cluster& cluster, const queue::PodStore& store, queue::SchedulingQueue& queue)
      : cluster_(cluster), store_(store), queue_(queue) {}

  // The attempt of a popped pod failed. Returns the version of the pod that events and conditions are about, or nullptr
  // if nothing is to be told: the pod was created anew, or it runs and only awaits a resize.
  cluster::PodPtr AttemptFailed(std::unique_ptr<queue::QueuedPod> pod, const Failure& failure, Time now);

  // The binding of a pod that was assumed failed, after Unreserve has run. `rejected`: a plugin turned it down, as
  // opposed to an internal error. Its nomination is cleared whatever `failure` says. Returns the same.
  cluster::PodPtr BindingFailed(std::unique_ptr<queue::QueuedPod> pod, const cluster::PodPtr& assumed, Failure failure,
                                bool rejected, Time now);

 private:
  cluster::Cluster& cluster_;
  const queue::PodStore& store_;
  queue::SchedulingQueue& queue_;
};

}  // namespace berth::scheduler
