// SPDX-License-Identifier: Apache-2.0
// NodeCounts: how many pods of some kind are on each node, and in each domain of the topology keys that are asked for.
//
// The sums of a topology key are made when they are first asked for and follow the pods from then on. When nodes have
// joined or left a domain of the key they are made anew, by the nodes that have such pods. Where every domain is a
// single node (hostnames), the counts of nodes are the sums.
//
// Thread: core. Cost: constant time per pod and key that is kept; room by nodes and domains with such pods.

#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "cluster/tables/counts.h"
#include "cluster/tables/ids.h"
#include "cluster/topology.h"

namespace berth::cluster {

// The sums over the domains of one topology key.
struct DomainSums {
  std::shared_ptr<const TopologyKey> topology;
  uint64_t version = 0;   // Of the topology.
  bool per_node = false;  // Every domain is a single node: `by_domain` is not used.
  int64_t total = 0;      // Pods on nodes that have the key.
  Counts by_domain;
};

class NodeCounts {
 public:
  int32_t count(NodeSlot slot) const { return by_slot_.of(slot.index); }
  int64_t total() const { return by_slot_.total(); }
  const Counts& by_slot() const { return by_slot_; }

  void Change(NodeSlot slot, int32_t amount);

  // The sums over the domains of `topology`. They follow the pods until nodes change their domains.
  std::shared_ptr<const DomainSums> Sums(const std::shared_ptr<const TopologyKey>& topology) const;

  // Without the object itself.
  size_t bytes() const;

 private:
  static constexpr size_t kSumsMax = 8;

  std::shared_ptr<DomainSums> Summed(const std::shared_ptr<const TopologyKey>& topology) const;

  Counts by_slot_;
  mutable std::vector<std::shared_ptr<DomainSums>> sums_;
};

}  // namespace berth::cluster
