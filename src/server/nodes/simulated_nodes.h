// SPDX-License-Identifier: Apache-2.0
// SimulatedNodes: what kubelets and the node controller do for nodes, without machines.
//
// Every node gets what its kubelet would give it, as far as nobody else did: labels, addresses, resources, a lease. It
// becomes ready and keeps its lease alive. A node whose conditions somebody sets to other values stays so:
// it gets the taints of its conditions, until they are set back, and those of a cordon likewise. The taint that new
// nodes come with goes when the node is ready. A node whose Ready condition is Unknown does not renew its lease.
//
// Thread: that of the store.

#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "server/controllers/controller.h"
#include "server/nodes/address_pool.h"
#include "server/nodes/kubelet_events.h"

namespace berth::server {

class SimulatedNodes : public Controller {
 public:
  // Without `renews_leases` nodes have none, and nothing is told of them: nobody asks whether they live.
  explicit SimulatedNodes(const Cluster& cluster, bool renews_leases = true)
      : cluster_(cluster),
        renews_leases_(renews_leases),
        nodes_(cluster.Get("", "nodes")),
        leases_(cluster.Get("coordination.k8s.io", "leases")),
        pods_(cluster.Get("", "pods")),
        events_(cluster, renews_leases) {}

  std::string_view name() const override { return "simulated-nodes"; }
  void OnChange(const Change& change, const Enqueue& enqueue) override;
  std::optional<Duration> Sync(const std::string& key) override;

 private:
  // Writes what is missing. None: nothing is. Otherwise whether it was written; the node is then looked at again.
  std::optional<bool> Complete(const StoredObject& node, const Json& tree);
  bool SetTaints(const StoredObject& node, const Json& tree);
  // Nobody knows how the pods of a silent node are. Its kubelet tells it again once it is heard of; that of a node
  // which is just not ready would take it back at once.
  void MarkPodsNotReady(const StoredObject& node);
  void Renew(const StoredObject& node, const Json& tree);
  std::string GiveAddress(std::string_view node);
  void TellOfStart(const StoredObject& node);
  void TellAsController(const StoredObject& node, std::string_view reason, std::string_view what);
  void TellStatus(const StoredObject& node, std::string_view status, std::string_view reporter);

  const Cluster& cluster_;
  const bool renews_leases_;
  const Resource& nodes_;
  const Resource& leases_;
  const Resource& pods_;
  KubeletEvents events_;
  std::optional<AddressPool> addresses_;  // Since a node was seen that has none.
};

}  // namespace berth::server
