// SPDX-License-Identifier: Apache-2.0
// SimulatedPods: what kubelets do for their pods, without containers.
//
// A pod that was bound runs at once: its containers are ready and it has an address. It ends after the time that its
// annotations (server/kinds/pods/life_annotations.h) say, or a moment later if it belongs to a Job; otherwise it runs
// for ever. A pod that is deleted goes at once. Nothing happens on a node whose Ready condition is Unknown. A pod that
// claims devices waits until they are allocated and reserved for it.
//
// Thread: that of the store.

#pragma once

#include <string>
#include <string_view>
#include <unordered_map>

#include "server/controllers/controller.h"
#include "server/nodes/address_pool.h"

namespace berth::server {

class SimulatedPods : public Controller {
 public:
  explicit SimulatedPods(const Cluster& cluster)
      : cluster_(cluster),
        pods_(cluster.Get("", "pods")),
        nodes_(cluster.Get("", "nodes")),
        claims_(cluster.Get("resource.k8s.io", "resourceclaims")) {}

  std::string_view name() const override { return "simulated-pods"; }
  void OnChange(const Change& change, const Enqueue& enqueue) override;
  std::optional<Duration> Sync(const std::string& key) override;

 private:
  // What a pod needs to know of its node.
  struct Host {
    Revision revision = 0;
    bool is_silent = false;  // Nothing is heard of the kubelet.
    std::string address;
  };

  const Host& HostOf(const StoredObject& node);
  // Whether all its claims are there and have devices for it.
  bool HasDevices(const PodInfo& pod) const;
  // `host`: the address of its node.
  std::optional<Duration> Run(const PodInfo& pod, const Json& tree, const std::string& host);
  std::optional<Duration> End(const PodInfo& pod, const Json& tree);
  std::optional<Duration> Write(const PodInfo& pod, Json tree);

  const Cluster& cluster_;
  const Resource& pods_;
  const Resource& nodes_;
  const Resource& claims_;
  AddressPool addresses_{kPodNetwork};
  std::unordered_map<std::string, Host> hosts_;  // By the name of the node; of those that have pods.
};

}  // namespace berth::server
