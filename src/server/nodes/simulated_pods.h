// SPDX-License-Identifier: Apache-2.0
// SimulatedPods: what kubelets do for their pods, without containers.
//
// A pod that was bound runs at once: its containers are ready and it has an address. What else becomes of it is told by
// its script (pod_script.h) and by PodTurn: its containers start, exit and start again, and the pod ends, or runs for
// ever. A running pod gets the resources that it is resized to as soon as its node has room for them. A pod that is
// deleted goes at once, or when its containers have ended, within its grace period, after it has said how they ended.
// Nothing happens on a node whose Ready condition is Unknown. A pod that claims devices waits until they are allocated
// and reserved for it, and one whose host ports are taken on its node is turned down.
//
// Thread: that of the store.

#pragma once

#include <map>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "server/controllers/controller.h"
#include "server/nodes/address_pool.h"
#include "server/nodes/behaviour.h"
#include "server/nodes/kubelet_events.h"
#include "server/nodes/pod_turn.h"

namespace berth::server {

// What all pods of a cluster have in common.
struct PodLives {
  bool end = true;                       // Off: a pod that runs goes on for ever, whatever its annotations say.
  bool commands = true;                  // Off: what containers do by their commands does not count.
  bool tells = true;                     // Kubelets write events.
  Duration termination{};                // From the deletion of a pod until it is gone; zero: as its script says.
  Duration stop{};                       // From the deletion of a running pod until it is gone, at least.
  const Behaviour* behaviour = nullptr;  // What becomes of pods whose annotations say nothing else; null: nothing.
};

// What becomes of a pod.
PodScript ScriptOf(const StoredObject& pod, const PodLives& lives);

class SimulatedPods : public Controller {
 public:
  explicit SimulatedPods(const Cluster& cluster, PodLives lives = {})
      : cluster_(cluster),
        lives_(lives),
        pods_(cluster.Get("", "pods")),
        nodes_(cluster.Get("", "nodes")),
        claims_(cluster.Get("resource.k8s.io", "resourceclaims")),
        runtime_classes_(cluster.Get("node.k8s.io", "runtimeclasses")),
        events_(cluster, lives.tells) {}

  std::string_view name() const override { return "simulated-pods"; }
  void OnChange(const Change& change, const Enqueue& enqueue) override;
  std::optional<Duration> Sync(const std::string& key) override;

 private:
  // What a pod needs to know of its node.
  struct Host {
    Revision revision = 0;
    bool is_silent = false;  // Nothing is heard of the kubelet.
    std::string address;
    std::vector<std::string> handlers;  // Of its container runtime. None: it does not say, and has all.
  };

  const Host& HostOf(const StoredObject& node);
  // Whether all its claims are there and have devices for it.
  bool HasDevices(const PodInfo& pod) const;
  std::optional<Duration> Live(const PodInfo& pod, const Json& tree, const Host& host);
  // Whether it was not taken in yet and needs a port that another pod of its node has.
  bool LacksPorts(const PodInfo& pod, const Json& tree) const;
  std::optional<Duration> TurnDown(const PodInfo& pod, Json tree);
  // The handler that the pod asks for and its node does not have; "": it has it.
  std::string LackingHandler(const Json& tree, const Host& host) const;
  // Takes a pod in that was bound, and starts it when it is time.
  void Start(const PodInfo& pod, const Json& tree, Duration start_after, const Host& host, PodTurn& turn);
  std::optional<Duration> Resize(const PodInfo& pod, const Json& tree);
  // Looks at the pods again whose resizes wait for room on the node.
  void RetryResizes(std::string_view node, const Enqueue& enqueue);
  std::optional<Duration> Delete(const PodInfo& pod);
  // Writes what became of a pod, and tells of it.
  std::optional<Duration> Write(const PodInfo& pod, PodTurn& turn);
  std::optional<Duration> Write(const PodInfo& pod, Json tree, std::vector<Notice> notices,
                                std::optional<Duration> again);

  const Cluster& cluster_;
  const PodLives lives_;
  const Resource& pods_;
  const Resource& nodes_;
  const Resource& claims_;
  const Resource& runtime_classes_;
  KubeletEvents events_;
  AddressPool addresses_{kPodNetwork};
  std::unordered_map<std::string, Host> hosts_;          // By the name of the node; of those that have pods.
  std::unordered_map<std::string, PodMemory> memories_;  // By key; of those whose script takes time.
  std::unordered_map<std::string, Time> deletions_;      // By key: when each that stays a while was deleted.
  std::map<std::string, std::set<std::string>, std::less<>> deferred_;  // By node: the pods whose resizes wait.
};

}  // namespace berth::server
