// SPDX-License-Identifier: Apache-2.0
// PodCollector: removes the pods of nodes that are gone.
//
// When a node is deleted its pods go with it. A pod that was bound to a node that never was gets some time, in which
// the node may come. A pod that was deleted and has no life left, but is held by a finalizer, has failed: those who
// wait for its end, such as Jobs, then see it.
//
// Thread: that of the store.

#pragma once

#include <set>
#include <string>

#include "server/controllers/controller.h"

namespace berth::server {

class PodCollector : public Controller {
 public:
  // In a cluster that is not whole, a node that was never seen is taken to be elsewhere.
  // Without `keeps_ended`, pods go that have ended and belong to no controller.
  explicit PodCollector(const Cluster& cluster, bool is_whole = true, bool keeps_ended = true)
      : cluster_(cluster),
        is_whole_(is_whole),
        keeps_ended_(keeps_ended),
        nodes_(cluster.Get("", "nodes")),
        pods_(cluster.Get("", "pods")) {}

  std::string_view name() const override { return "pod-garbage-collector"; }
  void OnChange(const Change& change, const Enqueue& enqueue) override;
  // By the name of a node, or `ended:` or `held:` and the key of a pod.
  std::optional<Duration> Sync(const std::string& key) override;

 private:
  bool Remove(const PodInfo& pod);
  void FailIfHeld(const PodInfo& pod);

  const Cluster& cluster_;
  const bool is_whole_;
  const bool keeps_ended_;
  std::set<std::string, std::less<>> gone_;  // Nodes that were deleted.
  const Resource& nodes_;
  const Resource& pods_;
};

}  // namespace berth::server
