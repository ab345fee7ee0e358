// SPDX-License-Identifier: Apache-2.0
// TopologySums: a number for each domain of some topology keys.
//
// It stands for upstream's map from (key, value) pairs to counts or weights. Nodes without a key have no part in it.

#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "cluster/cluster.h"

namespace berth::plugins::interpod {

class TopologySums {
 public:
  class Key {
   public:
    explicit Key(std::shared_ptr<const cluster::TopologyKey> topology)
        : topology_(std::move(topology)), sums_(topology_->domain_count()) {}

    const std::string& name() const { return topology_->key(); }
    bool HasDomain(cluster::NodeSlot slot) const { return topology_->domain(slot) != cluster::kNoDomain; }
    // 0 for a node without the key.
    int64_t Of(cluster::NodeSlot slot) const {
      const cluster::DomainId domain = topology_->domain(slot);
      return domain == cluster::kNoDomain ? 0 : sums_[domain];
    }

   private:
    friend class TopologySums;
    std::shared_ptr<const cluster::TopologyKey> topology_;
    std::vector<int64_t> sums_;  // By domain.
  };

  // The entry of a topology key, made on first use. The reference is valid until the next call.
  Key& At(const cluster::NodeTable& nodes, const std::string& key) {
    const auto it = std::ranges::find(keys_, key, &Key::name);
    return it != keys_.end() ? *it : keys_.emplace_back(nodes.Topology(key));
  }

  void Add(Key& key, cluster::NodeSlot slot, int64_t amount) {
    const cluster::DomainId domain = key.topology_->domain(slot);
    if (domain == cluster::kNoDomain) return;
    key.sums_[domain] += amount;
    total_ += amount;
    touched_ = true;
  }
  // Adds `weight` for every pod that the counter counts.
  void Add(Key& key, const cluster::PodCounter& counter, int64_t weight) {
    if (counter.total() == 0) return;
    const std::vector<int32_t>& counts = counter.counts();
    for (uint32_t i = 0; i < counts.size(); ++i) {
      if (counts[i] != 0) Add(key, cluster::NodeSlot{i}, weight * counts[i]);
    }
  }
  // Adds `weight` for every pod of the group.
  void Add(Key& key, const cluster::AffinityIndex::Group& group, int64_t weight) {
    for (const auto& [slot, count] : group.placements) Add(key, slot, weight * count);
  }

  const std::vector<Key>& keys() const { return keys_; }
  // The sum of everything: where all amounts are counts, 0 means that every sum is 0.
  int64_t total() const { return total_; }
  // Whether anything was ever added.
  bool touched() const { return touched_; }
  // Whether some domain of the node has a sum above 0.
  bool AnyPositive(cluster::NodeSlot slot) const {
    return std::ranges::any_of(keys_, [slot](const Key& key) { return key.Of(slot) > 0; });
  }

 private:
  std::vector<Key> keys_;
  int64_t total_ = 0;
  bool touched_ = false;
};

}  // namespace berth::plugins::interpod
