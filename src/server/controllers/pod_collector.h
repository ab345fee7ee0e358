// SPDX-License-Identifier: Apache-2.0
// PodCollector: removes the pods of nodes that are gone.
//
// When a node is deleted its pods go with it. A pod that was bound to a node that never was gets some time, in which
// the node may come.
//
// Thread: that of the store.

#pragma once

#include "server/controllers/controller.h"

namespace berth::server {

class PodCollector : public Controller {
 public:
  explicit PodCollector(const Cluster& cluster)
      : cluster_(cluster), nodes_(cluster.Get("", "nodes")), pods_(cluster.Get("", "pods")) {}

  std::string_view name() const override { return "pod-garbage-collector"; }
  void OnChange(const Change& change, const Enqueue& enqueue) override;
  // By the name of a node.
  std::optional<Duration> Sync(const std::string& key) override;

 private:
  bool Remove(const PodInfo& pod);

  const Cluster& cluster_;
  const Resource& nodes_;
  const Resource& pods_;
};

}  // namespace berth::server
