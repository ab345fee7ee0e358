// SPDX-License-Identifier: Apache-2.0
// ReplicaSetController: keeps as many pods as a ReplicaSet or ReplicationController asks for.
//
// Thread: that of the store.

#pragma once

#include <map>
#include <string>

#include "server/controllers/affected_sets.h"
#include "server/controllers/controller.h"
#include "server/controllers/pod_control.h"

namespace berth::server {

class ReplicaSetController : public Controller {
 public:
  // Of one resource: replicasets or replicationcontrollers.
  ReplicaSetController(const Cluster& cluster, const Resource& sets)
      : cluster_(cluster), sets_(sets), affected_(sets, cluster.Get("", "pods")) {}

  std::string_view name() const override { return sets_.plural; }
  void OnChange(const Change& change, const Enqueue& enqueue) override { affected_.OnChange(change, kSettle, enqueue); }
  std::optional<Duration> Sync(const std::string& key) override;

 private:
  struct Counts {
    size_t active = 0;
    size_t ready = 0;
    size_t available = 0;
    size_t fully_labelled = 0;
    size_t terminating = 0;
  };

  bool is_legacy() const { return sets_.group.empty(); }
  Counts Count(const StoredObject& set, const Json& tree, const Availability& availability) const;
  // Makes or removes so many pods.
  static Outcome<void> Grow(const PodControl& control, const StoredObject& set, const Json& tree, size_t count);
  Outcome<void> Shrink(const PodControl& control, const StoredObject& set, size_t count) const;
  std::map<std::string, size_t> RelativesByNode(const StoredObject& set) const;
  bool Report(const StoredObject& set, const Json& tree, const Counts& counts, const Outcome<void>& managed);
  void SetFailure(Json& status, bool is_growing, const Outcome<void>& managed) const;

  const Cluster& cluster_;
  const Resource& sets_;
  AffectedSets affected_;
};

}  // namespace berth::server
