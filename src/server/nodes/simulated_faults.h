// SPDX-License-Identifier: Apache-2.0
// SimulatedFaults: what befalls nodes by a Behaviour: they are not ready, or not heard of, or run out of disk, each for
// a while, again and again.
//
// The first time is some time after the node came, different for each node; then in even distances. A node that is not
// ready when a fault is due is left alone until the next time. What others do with a node in trouble, its taints and
// the eviction of its pods, is theirs. One that runs out of disk evicts a pod every ten seconds: of the least
// important first, never one that is critical to the cluster.
//
// Thread: that of the store.

#pragma once

#include <map>
#include <string>
#include <string_view>

#include "server/controllers/controller.h"
#include "server/nodes/behaviour.h"
#include "server/nodes/kubelet_events.h"

namespace berth::server {

class SimulatedFaults : public Controller {
 public:
  // REQUIRES: `behaviour` outlives this.
  SimulatedFaults(const Cluster& cluster, const Behaviour& behaviour, bool tells)
      : cluster_(cluster),
        behaviour_(behaviour),
        nodes_(cluster.Get("", "nodes")),
        pods_(cluster.Get("", "pods")),
        events_(cluster, tells) {}

  std::string_view name() const override { return "simulated-faults"; }
  void OnChange(const Change& change, const Enqueue& enqueue) override;
  // `NUMBER/NODE`: the fault of this number.
  std::optional<Duration> Sync(const std::string& key) override;

 private:
  // Whether it did. A node that is in trouble already does not.
  bool Begin(const StoredObject& node, const NodeFault& fault);
  bool End(const StoredObject& node, const NodeFault& fault);
  void EvictOne(const StoredObject& node);

  const Cluster& cluster_;
  const Behaviour& behaviour_;
  const Resource& nodes_;
  const Resource& pods_;
  KubeletEvents events_;
  std::map<std::string, Time, std::less<>> ends_;  // By key: of the faults that nodes have now.
};

}  // namespace berth::server
