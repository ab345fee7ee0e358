// SPDX-License-Identifier: Apache-2.0
// SimulatedPods: what kubelets do for their pods, without containers.
//
// A pod that was bound runs at once: its containers are ready and it has an address. It ends after the time that its
// annotations (server/kinds/pods/life_annotations.h) say, or a moment later if it belongs to a Job; otherwise it runs
// for ever. A pod that is deleted goes at once, or after the time that PodLives says. Nothing happens on a node whose
// Ready condition is Unknown. A pod that claims devices waits until they are allocated and reserved for it.
//
// Thread: that of the store.

#pragma once

#include <string>
#include <string_view>
#include <unordered_map>

#include "server/controllers/controller.h"
#include "server/nodes/address_pool.h"

namespace berth::server {

// What all pods of a cluster have in common.
struct PodLives {
  bool end = true;         // Off: a pod that runs goes on for ever, whatever its annotations say.
  Duration termination{};  // From the deletion of a pod until it is gone.
};

// Whether the pod ends of itself: its annotations say when, or it belongs to a Job.
bool EndsOfItself(const Json& pod);

class SimulatedPods : public Controller {
 public:
  explicit SimulatedPods(const Cluster& cluster, PodLives lives = {})
      : cluster_(cluster),
        lives_(lives),
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
  std::optional<Duration> Delete(const PodInfo& pod);
  std::optional<Duration> Write(const PodInfo& pod, Json tree);

  const Cluster& cluster_;
  const PodLives lives_;
  const Resource& pods_;
  const Resource& nodes_;
  const Resource& claims_;
  AddressPool addresses_{kPodNetwork};
  std::unordered_map<std::string, Host> hosts_;  // By the name of the node; of those that have pods.
  // More exactly than the objects say, by key: when pods began that will end, and when those that are deleted will go.
  std::unordered_map<std::string, Time> starts_;
  std::unordered_map<std::string, Time> deletions_;
};

}  // namespace berth::server
