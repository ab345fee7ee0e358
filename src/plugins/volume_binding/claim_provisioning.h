// SPDX-License-Identifier: Apache-2.0
// ClaimProvisioning: on which nodes a new volume can be provisioned for a claim.
//
// The storage class must have a provisioner and allow the node's topology. If the CSI driver publishes its capacity,
// some capacity object that covers the node must have room for the claim; among several the one with the smallest name
// counts.

#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "api/objects/storage.h"
#include "cluster/cluster.h"
#include "plugins/helpers/label_index.h"
#include "plugins/helpers/node_memo.h"

namespace berth::plugins {

class ClaimProvisioning {
 public:
  enum class Answer : uint8_t { kPossible, kImpossible, kNoSpace };
  struct Outcome {
    Answer answer = Answer::kImpossible;
    // Where the volume would be taken from, if the driver publishes that. Lives as long as the ClaimProvisioning.
    const api::CsiStorageCapacity* capacity = nullptr;
  };

  // REQUIRES: the claim's storage class exists.
  ClaimProvisioning(const api::PersistentVolumeClaim& claim, const cluster::Cluster& cluster);

  // REQUIRES: the row has a Node object.
  Outcome Check(cluster::NodeSlot node);

 private:
  struct Capacity {
    std::shared_ptr<const api::CsiStorageCapacity> capacity;
    api::Selector nodes;
  };
  void ReadTopologies(const api::StorageClass& storage_class);
  void ReadCapacities(const api::PersistentVolumeClaim& claim, const api::StorageClass& storage_class,
                      const cluster::Objects& objects);
  bool AllowsTopology(const api::Labels& labels) const;

  const cluster::NodeTable& nodes_;
  bool has_provisioner_ = false;
  bool allows_all_topologies_ = true;
  std::vector<api::Selector> topologies_;  // Any of them must match.
  NodeMemo<bool> allowed_;
  bool checks_capacity_ = false;
  std::vector<Capacity> capacities_;  // With room for the claim; by name.
  LabelIndex index_;                  // Positions in capacities_.
};

}  // namespace berth::plugins
