// SPDX-License-Identifier: Apache-2.0
// Nominator: keeps cluster.nominated in step with pending pods.
//
// A nomination is either decided by an attempt, before the API server knows of it, or read from the pod's status. Pods
// that are gone or on a node are not nominated.
//
// Thread: core.

#pragma once

#include <optional>
#include <string_view>

#include "cluster/nominated_pods.h"
#include "queue/pod_store.h"

namespace berth::queue {

class Nominator {
 public:
  Nominator(cluster::NominatedPods& nominated, const PodStore& store) : nominated_(nominated), store_(store) {}

  // Nominates the pod to `node`, or to what its status says if absent. An empty name ends its nomination.
  void Set(const cluster::PodPtr& pod, std::optional<std::string_view> node = std::nullopt);
  // The pod got a new version. A nomination of which neither version knows yet stays.
  void Update(const cluster::PodInfo& old_pod, const cluster::PodPtr& pod);
  void Remove(const cluster::PodInfo& pod) { nominated_.Remove(pod.uid); }

 private:
  cluster::NominatedPods& nominated_;
  const PodStore& store_;
};

}  // namespace berth::queue
