// SPDX-License-Identifier: Apache-2.0
// TaintEviction: deletes the pods of a node that do not tolerate its taints of effect NoExecute, at once or when the
// time for which they do is over.
//
// Thread: that of the store.

#pragma once

#include <map>
#include <set>
#include <string>

#include "server/controllers/controller.h"

namespace berth::server {

class TaintEviction : public Controller {
 public:
  explicit TaintEviction(const Cluster& cluster)
      : cluster_(cluster), nodes_(cluster.Get("", "nodes")), pods_(cluster.Get("", "pods")) {}

  std::string_view name() const override { return "taint-eviction"; }
  void OnChange(const Change& change, const Enqueue& enqueue) override;
  // By the key of a pod.
  std::optional<Duration> Sync(const std::string& key) override;

 private:
  bool Evict(const PodInfo& pod);
  // Tells that a pod stays which was to go later, if it was.
  void CallOff(const StoredObject& pod);

  const Cluster& cluster_;
  const Resource& nodes_;
  const Resource& pods_;
  std::set<std::string, std::less<>> tainted_;  // The nodes from which pods are evicted.
  std::map<std::string, Time, std::less<>>
      since_;  // Of pods that are to go later: when the node was first seen with its taints; by the pod's key.
};

}  // namespace berth::server
