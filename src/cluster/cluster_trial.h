// SPDX-License-Identifier: Apache-2.0
// ClusterTrial: pods taken off their nodes and put back, to see what would fit without them.
//
// Everything is as before when it goes out of scope, the order of the pods on their nodes included.
//
// Thread: core. Cost: by pod, and one copy of each row and group that is changed.

#pragma once

#include <map>
#include <vector>

#include "cluster/cluster.h"

namespace berth::cluster {

class ClusterTrial {
 public:
  explicit ClusterTrial(Cluster& cluster) : cluster_(cluster) {}
  ~ClusterTrial();
  ClusterTrial(const ClusterTrial&) = delete;
  ClusterTrial& operator=(const ClusterTrial&) = delete;

  // REQUIRES: the pod is on a node that has a Node object.
  void Remove(const PodPtr& pod);
  // Puts back a pod that was removed.
  void Add(const PodPtr& pod);

 private:
  void Save(const PodInfo& pod);

  struct Removed {
    PodPtr pod;
    bool assumed = false;
  };
  Cluster& cluster_;
  std::map<std::string, Removed> removed_;  // By uid; those that are off their nodes now.
  std::map<NodeSlot, NodeTable::SavedRow> rows_;
  std::map<GroupKey, PodGroups::Saved> groups_;
};

}  // namespace berth::cluster
