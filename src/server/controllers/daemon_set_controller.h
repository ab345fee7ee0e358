// SPDX-License-Identifier: Apache-2.0
// DaemonSetController: keeps one pod on every node that the template fits.
//
// Thread: that of the store.

#pragma once

#include <vector>

#include "server/controllers/controller.h"
#include "server/controllers/daemon_placement.h"
#include "server/controllers/owned_pods.h"

namespace berth::server {

class DaemonSetController : public Controller {
 public:
  explicit DaemonSetController(const Cluster& cluster)
      : cluster_(cluster),
        sets_(cluster.Get("apps", "daemonsets")),
        pods_(cluster.Get("", "pods")),
        nodes_(cluster.Get("", "nodes")) {}

  std::string_view name() const override { return "daemonset"; }
  void OnChange(const Change& change, const Enqueue& enqueue) override;
  std::optional<Duration> Sync(const std::string& key) override;

 private:
  struct Tally {
    int64_t wanted = 0;   // Nodes that should have a pod.
    int64_t present = 0;  // Those that have one.
    int64_t ready = 0;
    int64_t updated = 0;
    int64_t misplaced = 0;
  };
  struct Work {
    Tally tally;
    std::vector<std::string> empty_nodes;  // Which should have a pod.
    std::vector<PodInfo> unwanted;
    std::vector<PodInfo> outdated;  // Of an older template.
  };

  Work Look(const StoredObject& set, const Json& spec, const std::string& version) const;
  static void LookAt(const std::string& node, DaemonFit fit, std::vector<PodInfo> pods, const std::string& version,
                     Work& work);
  static void AddOutdated(const Json& spec, Work& work);
  bool Create(const StoredObject& set, const Json& pod_template, std::string_view node, const std::string& version);
  bool Report(const StoredObject& set, const Json& tree, const Tally& tally);

  const Cluster& cluster_;
  const Resource& sets_;
  const Resource& pods_;
  const Resource& nodes_;
};

}  // namespace berth::server
