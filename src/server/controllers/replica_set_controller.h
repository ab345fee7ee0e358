// SPDX-License-Identifier: Apache-2.0
// ReplicaSetController: keeps as many pods as a ReplicaSet or ReplicationController asks for.
//
// Thread: that of the store.

#pragma once

#include "server/controllers/controller.h"
#include "server/controllers/owned_pods.h"

namespace berth::server {

class ReplicaSetController : public Controller {
 public:
  // Of one resource: replicasets or replicationcontrollers.
  ReplicaSetController(const Cluster& cluster, const Resource& sets)
      : cluster_(cluster), sets_(sets), pods_(cluster.Get("", "pods")) {}

  std::string_view name() const override { return sets_.plural; }
  void OnChange(const Change& change, const Enqueue& enqueue) override;
  std::optional<Duration> Sync(const std::string& key) override;

 private:
  // Of the pods that count.
  struct Counts {
    size_t active = 0;
    size_t ready = 0;
    size_t fully_labelled = 0;
  };

  Counts Count(const StoredObject& set, const Json& tree) const;
  // Whether all that was asked for could be done, so far.
  bool Grow(const StoredObject& set, const Json& tree, size_t count);
  bool Shrink(const StoredObject& set, size_t count);
  bool Report(const StoredObject& set, const Json& tree, const Counts& counts);

  const Cluster& cluster_;
  const Resource& sets_;
  const Resource& pods_;
};

}  // namespace berth::server
