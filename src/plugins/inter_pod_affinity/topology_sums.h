// SPDX-License-Identifier: Apache-2.0
// TopologySums: a number for each domain of some topology keys.
//
// It stands for upstream's map from (key, value) pairs to counts or weights. Nodes without a key have no part in it.
// The numbers are those that the cluster keeps (cluster::NodeCounts), read where they are, plus what is tried out in
// this cycle. So making it costs nothing by node, and neither does asking for one node. Where the cluster changes while
// the cycle is still in use, as it does between the members of a group, numbers are copied instead.
//
// Thread: core.

#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <boost/container/small_vector.hpp>
#include <boost/unordered/unordered_flat_map.hpp>

#include "base/assert.h"
#include "cluster/node_counts.h"
#include "cluster/node_table.h"
#include "cluster/tables/node_bits.h"

namespace berth::plugins::interpod {

class TopologySums {
 public:
  class Key {
   public:
    explicit Key(std::shared_ptr<const cluster::TopologyKey> topology)
        : topology_(std::move(topology)), per_node_(topology_->is_per_node()) {}

    const std::string& name() const { return topology_->key(); }
    const cluster::TopologyKey& topology() const { return *topology_; }
    // Every domain is a single node: sums are told apart by node, and not by domain.
    bool is_per_node() const { return per_node_; }
    bool HasDomain(cluster::NodeSlot slot) const { return topology_->domain(slot) != cluster::kNoDomain; }
    // 0 for a node without the key.
    int64_t Of(cluster::NodeSlot slot) const {
      const cluster::DomainId domain = topology_->domain(slot);
      return domain == cluster::kNoDomain ? 0 : SumOf(per_node_ ? slot.index : domain);
    }
    // Adds the sum of each node to its value.
    void AddTo(std::span<const cluster::NodeSlot> nodes, std::span<int64_t> values) const {
      if (per_node_ || topology_->domain_count() > nodes.size()) {
        for (size_t i = 0; i < nodes.size(); ++i) values[i] += Of(nodes[i]);
        return;
      }
      // Many nodes of few domains: each sum is looked up once. The last is that of nodes without the key.
      const auto domains = static_cast<uint32_t>(topology_->domain_count());
      boost::container::small_vector<int64_t, 64> sums(domains + 1, 0);
      for (uint32_t domain = 0; domain < domains; ++domain) sums[domain] = SumOf(domain);
      for (size_t i = 0; i < nodes.size(); ++i) values[i] += sums[std::min(topology_->domain(nodes[i]), domains)];
    }
    // The tables that the sums are read from.
    template <class Visit>
    void ForEachSource(Visit visit) const {
      for (const Part& part : parts_) visit(part.counts);
      for (const std::shared_ptr<const cluster::Counts>& counts : added_up_) visit(counts);
    }
    const std::shared_ptr<const cluster::TopologyKey>& shared_topology() const { return topology_; }
    // REQUIRES: not per node.
    int64_t OfDomain(cluster::DomainId domain) const { return SumOf(domain); }

   private:
    friend class TopologySums;

    // Numbers that the cluster keeps, by domain or node.
    struct Part {
      std::shared_ptr<const cluster::Counts> counts;
      int64_t weight = 0;
      uint32_t changes = 0;  // Of the counts, when they were taken.
    };
    static constexpr size_t kPartsMax = 4;  // More are added up, so that a sum never takes long.
    static constexpr size_t kMarkWords = 64;
    static constexpr size_t kMarkedMax = 512;  // More ids than that are not worth marking.

    // How many entries the sums are made of.
    size_t entry_count() const {
      size_t count = added_.size();
      for (const Part& part : parts_) count += part.counts->size();
      return count;
    }
    // Calls `visit` for each node whose sum may not be 0, some perhaps several times. REQUIRES: is_per_node().
    template <class Visit>
    void ForEachNode(Visit visit) const {
      const auto visit_id = [&](uint32_t id, int64_t) { visit(cluster::NodeSlot{id}); };
      for (const Part& part : parts_) part.counts->ForEach(visit_id);
      for (const auto& [id, sum] : added_) visit_id(id, sum);
    }

    int64_t SumOf(uint32_t id) const {
      if (!all_marked_ && (marks_[id / 64 % kMarkWords] >> (id % 64) & 1) == 0) return 0;
      int64_t sum = 0;
      for (const Part& part : parts_) {
        BERTH_DASSERT(part.counts->changes() == part.changes);
        sum += part.weight * part.counts->of(id);
      }
      if (!added_.empty()) {
        if (const auto it = added_.find(id); it != added_.end()) sum += it->second;
      }
      return sum;
    }
    void Mark(uint32_t id) { marks_[id / 64 % kMarkWords] |= uint64_t{1} << (id % 64); }
    void Mark(const cluster::Counts& counts) {
      all_marked_ |= counts.size() > kMarkedMax;
      if (!all_marked_) counts.ForEach([&](uint32_t id, int32_t) { Mark(id); });
    }
    void Add(std::shared_ptr<const cluster::Counts> counts, int64_t weight) {
      Mark(*counts);
      if (parts_.size() < kPartsMax) {
        parts_.push_back({.counts = std::move(counts), .weight = weight, .changes = 0});
        parts_.back().changes = parts_.back().counts->changes();
      } else {
        counts->ForEach([&](uint32_t id, int32_t count) { added_[id] += weight * count; });
        added_up_.push_back(std::move(counts));
      }
    }

    std::shared_ptr<const cluster::TopologyKey> topology_;
    bool per_node_;
    // A bit for each id modulo their number whose sum may not be 0: most nodes are told by a look at it.
    std::array<uint64_t, kMarkWords> marks_{};
    bool all_marked_ = false;
    std::vector<Part> parts_;
    std::vector<std::shared_ptr<const cluster::Counts>> added_up_;  // Those that are in added_ and not in parts_.
    boost::unordered_flat_map<uint32_t, int64_t> added_;            // By domain or node.
  };

  // `outlives_changes`: the cluster changes while this is in use.
  explicit TopologySums(bool outlives_changes = false) : outlives_changes_(outlives_changes) {}

  // The entry of a topology key, made on first use. The reference is valid until the next call.
  Key& At(const cluster::NodeTable& nodes, const std::string& key) {
    const auto it = std::ranges::find(keys_, key, &Key::name);
    return it != keys_.end() ? *it : keys_.emplace_back(nodes.Topology(key));
  }

  // Tries out: adds to the sum of the node's domain.
  void Add(Key& key, cluster::NodeSlot slot, int64_t amount) {
    const cluster::DomainId domain = key.topology_->domain(slot);
    if (domain == cluster::kNoDomain) return;
    const uint32_t id = key.per_node_ ? slot.index : domain;
    key.Mark(id);
    key.added_[id] += amount;
    total_ += amount;
    touched_ = true;
  }
  // Adds `weight` for every pod that is counted.
  void Add(Key& key, const std::shared_ptr<const cluster::NodeCounts>& pods, int64_t weight) {
    if (pods->total() == 0) return;
    const std::shared_ptr<const cluster::DomainSums> sums = pods->Sums(key.topology_);
    if (sums->total == 0) return;
    total_ += weight * sums->total;
    touched_ = true;
    // Either belongs to what is kept, and lives as long as this.
    std::shared_ptr<const cluster::Counts> counts =
        sums->per_node ? std::shared_ptr<const cluster::Counts>(pods, &pods->by_slot())
                       : std::shared_ptr<const cluster::Counts>(sums, &sums->by_domain);
    key.Add(outlives_changes_ ? std::make_shared<const cluster::Counts>(*counts) : std::move(counts), weight);
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
  // The nodes for which AnyPositive holds. Nothing: it takes no longer to ask for each of so many nodes.
  std::optional<cluster::NodeBits> PositiveNodes(size_t node_count) const {
    cluster::NodeBits positive;
    for (const Key& key : keys_) {
      if (!key.is_per_node() || key.entry_count() > node_count / 4) return std::nullopt;
      key.ForEachNode([&](cluster::NodeSlot node) {
        if (key.Of(node) > 0) positive.Insert(node);
      });
    }
    return positive;
  }

 private:
  std::vector<Key> keys_;
  int64_t total_ = 0;
  bool touched_ = false;
  bool outlives_changes_;
};

}  // namespace berth::plugins::interpod
