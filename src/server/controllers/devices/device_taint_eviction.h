// SPDX-License-Identifier: Apache-2.0
// DeviceTaintEviction: deletes pods whose devices have taints of effect NoExecute that their claims do not tolerate, at
// once or when the time for which they do is over, and says in the status of each DeviceTaintRule how far that is.
//
// Thread: that of the store.

#pragma once

#include <map>
#include <set>
#include <string>

#include "server/controllers/controller.h"
#include "server/controllers/devices/device_taints.h"

namespace berth::server {

class DeviceTaintEviction : public Controller {
 public:
  explicit DeviceTaintEviction(const Cluster& cluster)
      : cluster_(cluster),
        pods_(cluster.Get("", "pods")),
        claims_(cluster.Get("resource.k8s.io", "resourceclaims")),
        slices_(cluster.Get("resource.k8s.io", "resourceslices")),
        rules_(cluster.Get("resource.k8s.io", "devicetaintrules")) {}

  std::string_view name() const override { return "device-taint-eviction"; }
  void OnChange(const Change& change, const Enqueue& enqueue) override;
  // The key of a pod, or the name of a rule, which has no slash.
  std::optional<Duration> Sync(const std::string& key) override;

 private:
  void OnSlice(const Change& change, const Enqueue& enqueue);
  void OnRule(const Change& change, const Enqueue& enqueue);
  void OnPod(const Change& change, const Enqueue& enqueue);
  // Asks for a look at all pods that have a node and claims.
  void LookAtPods(const Enqueue& enqueue) const;

  std::optional<Duration> SyncPod(const std::string& key);
  std::optional<Duration> SyncRule(const std::string& name);
  std::optional<DeviceTaints::Eviction> EvictionOf(const PodInfo& pod, const Json* pretended = nullptr) const;
  bool Evict(const PodInfo& pod, const DeviceTaints::Eviction& eviction);
  // How many pods a rule evicts, and in how many namespaces.
  std::pair<size_t, size_t> CountPods(const Json& rule, const Json* pretended) const;
  Json ConditionOf(const Json& rule) const;

  const Cluster& cluster_;
  const Resource& pods_;
  const Resource& claims_;
  const Resource& slices_;
  const Resource& rules_;
  DeviceTaints taints_;
  std::set<std::string, std::less<>> due_;                     // Pods that will be evicted if nothing changes; by key.
  std::map<std::string, std::set<std::string>> evicted_by_;    // Pods that were evicted and the rules to blame.
  std::map<std::string, size_t, std::less<>> evicted_counts_;  // How many pods a rule has evicted; by its name.
};

}  // namespace berth::server
