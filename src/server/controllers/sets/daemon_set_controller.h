// SPDX-License-Identifier: Apache-2.0
// DaemonSetController: keeps one pod on every node that the template fits.
//
// Thread: that of the store.

#pragma once

#include <optional>
#include <string>
#include <vector>

#include "server/controllers/affected_sets.h"
#include "server/controllers/controller.h"
#include "server/controllers/pod_control.h"
#include "server/controllers/sets/daemon_work.h"
#include "server/controllers/sets/failed_pod_backoff.h"
#include "server/controllers/sets/set_revisions.h"

namespace berth::server {

class DaemonSetController : public Controller {
 public:
  explicit DaemonSetController(const Cluster& cluster)
      : cluster_(cluster),
        sets_(cluster.Get("apps", "daemonsets")),
        nodes_(cluster.Get("", "nodes")),
        affected_(sets_, cluster.Get("", "pods")) {}

  std::string_view name() const override { return "daemonset"; }
  void OnChange(const Change& change, const Enqueue& enqueue) override;
  std::optional<Duration> Sync(const std::string& key) override;

 private:
  // `spec` is that of the pods, with its tolerations.
  std::vector<DaemonNode> LookAtNodes(const StoredObject& set, const Json& spec) const;
  // Takes out those that have to wait, and says for how long; reports the others.
  std::optional<Duration> HoldBackEnded(const StoredObject& set, const Json& tree, const PodControl& control,
                                        std::vector<PodInfo>& ended);
  static Outcome<void> CarryOut(const PodControl& control, const Json& pod, const DaemonWork& work);
  bool Report(const StoredObject& set, const Json& tree, const std::vector<DaemonNode>& nodes, const DaemonPods& pods,
              int64_t collisions);

  const Cluster& cluster_;
  const Resource& sets_;
  const Resource& nodes_;
  AffectedSets affected_;
  FailedPodBackoff backoff_;
};

}  // namespace berth::server
