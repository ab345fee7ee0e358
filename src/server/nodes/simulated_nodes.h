// SPDX-License-Identifier: Apache-2.0
// SimulatedNodes: what kubelets and the node controller do for nodes, without machines.
//
// Every node becomes ready and keeps its lease alive. A node whose conditions somebody sets to other values stays so:
// it gets the taints of its conditions, until they are set back, and those of a cordon likewise. The taint that new
// nodes come with goes when the node is ready. A node whose Ready condition is Unknown does not renew its lease.
//
// Thread: that of the store.

#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "server/controllers/controller.h"

namespace berth::server {

class SimulatedNodes : public Controller {
 public:
  explicit SimulatedNodes(const Cluster& cluster)
      : cluster_(cluster), nodes_(cluster.Get("", "nodes")), leases_(cluster.Get("coordination.k8s.io", "leases")) {}

  std::string_view name() const override { return "simulated-nodes"; }
  void OnChange(const Change& change, const Enqueue& enqueue) override;
  std::optional<Duration> Sync(const std::string& key) override;

 private:
  // Whether nothing is left to do, or it was done.
  bool Initialize(const StoredObject& node, const Json& tree);
  bool SetTaints(const StoredObject& node, const Json& tree);
  std::optional<Duration> Renew(const StoredObject& node);

  const Cluster& cluster_;
  const Resource& nodes_;
  const Resource& leases_;
};

}  // namespace berth::server
