// SPDX-License-Identifier: Apache-2.0
// DomainPods: the pods that a constraint counts in each domain, kept from one cycle to the next and repaired for the
// nodes that changed.
//
// Nodes count that have all required topology keys and that the constraint includes (NodeInclusion). KeptPods holds the
// ones that were asked for last. What a cycle holds stays as it was then: it is copied before it is repaired.
//
// Thread: core. Cost: twelve bytes per node.

#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "base/assert.h"
#include "cluster/cluster.h"
#include "framework/cycle.h"
#include "plugins/pod_topology_spread/domain_counts.h"

namespace berth::plugins::spread {

using TopologyPtr = std::shared_ptr<const cluster::TopologyKey>;
using CounterPtr = std::shared_ptr<const cluster::PodCounter>;

class DomainPods {
 public:
  // What the counts depend on, besides the nodes.
  struct Question {
    TopologyPtr topology;
    CounterPtr counter;                 // nullptr: counts no pod.
    std::vector<TopologyPtr> required;  // A node must have them all to count.
    uint64_t included_for = 0;          // The template whose node affinity and tolerations count; 0: all nodes do.
    bool operator==(const Question&) const = default;
  };

  explicit DomainPods(Question question) : question_(std::move(question)) {}

  const Question& question() const { return question_; }
  const DomainCounts& counts() const { return counts_; }
  // Nodes that do not have the topology key itself.
  size_t nodes_without_key() const { return nodes_without_key_; }
  bool IsCurrent(const cluster::NodeTable& nodes) const {
    return is_built_ && seen_ == nodes.change_count() && rows_.size() == nodes.slot_limit();
  }

  // `includes(slot)` is asked of nodes with all required keys.
  template <class Includes>
  void Repair(const cluster::NodeTable& nodes, Includes includes) {
    // Nodes without the key count with those whose value is empty, wherever such a one turns up.
    if (question_.topology->Find("") != cluster::kNoDomain) is_built_ = false;
    const auto look = [&](cluster::NodeSlot slot) { Look(slot, nodes, includes); };
    if (is_built_) {
      for (size_t i = nodes.slot_limit(); i < rows_.size(); ++i) TakeOut(rows_[i]);
      rows_.resize(nodes.slot_limit());
      is_built_ = nodes.VisitChanges(seen_, look);
    }
    if (!is_built_) {
      rows_.assign(nodes.slot_limit(), Row());
      counts_ = DomainCounts();
      nodes_without_key_ = 0;
      for (uint32_t i = 0; i < rows_.size(); ++i) look({i});
    }
    is_built_ = true;
    seen_ = nodes.change_count();
  }

 private:
  struct Row {
    cluster::DomainId domain = cluster::kNoDomain;  // In which it counts.
    int32_t pods = 0;
    bool lacks_key = false;
  };

  void TakeOut(Row& row) {
    if (row.domain != cluster::kNoDomain) counts_.RemoveNode(row.domain, row.pods);
    if (row.lacks_key) --nodes_without_key_;
    row = Row();
  }

  template <class Includes>
  void Look(cluster::NodeSlot slot, const cluster::NodeTable& nodes, Includes& includes) {
    Row& row = rows_[slot.index];
    TakeOut(row);
    if (nodes.has_node[slot.index] == 0) return;
    const auto has = [&](const TopologyPtr& key) { return key->domain(slot) != cluster::kNoDomain; };
    row.lacks_key = !has(question_.topology);
    if (row.lacks_key) ++nodes_without_key_;
    if (!std::ranges::all_of(question_.required, has) || !includes(slot)) return;
    row.domain = row.lacks_key ? question_.topology->Find("") : question_.topology->domain(slot);
    if (row.domain == cluster::kNoDomain) return;
    row.pods = question_.counter == nullptr ? 0 : question_.counter->count(slot);
    counts_.AddNode(row.domain, row.pods);
  }

  Question question_;
  std::vector<Row> rows_;  // By slot.
  DomainCounts counts_;
  size_t nodes_without_key_ = 0;
  bool is_built_ = false;
  uint64_t seen_ = 0;  // Changes of the node table that are taken into account.
};
using DomainPodsPtr = std::shared_ptr<const DomainPods>;

struct KeptPods final : framework::PluginState {
  template <class Includes>
  DomainPodsPtr Get(DomainPods::Question question, const cluster::NodeTable& nodes, Includes includes) {
    auto it = std::ranges::find_if(entries, [&](const auto& entry) { return entry->question() == question; });
    if (it == entries.end()) {
      if (entries.size() == kEntriesMax) entries.pop_back();
      it = entries.insert(entries.begin(), std::make_shared<DomainPods>(std::move(question)));
    }
    std::rotate(entries.begin(), it, it + 1);
    std::shared_ptr<DomainPods>& pods = entries.front();
    if (!pods->IsCurrent(nodes)) {
      if (pods.use_count() > 1) pods = std::make_shared<DomainPods>(*pods);
      pods->Repair(nodes, includes);
    }
#ifdef BERTH_CHECKS
    DomainPods anew(pods->question());
    anew.Repair(nodes, includes);
    BERTH_ASSERT(anew.counts() == pods->counts() && anew.nodes_without_key() == pods->nodes_without_key());
#endif
    return pods;
  }

  static constexpr size_t kEntriesMax = 64;
  std::vector<std::shared_ptr<DomainPods>> entries;  // The last one asked for is first.
};

}  // namespace berth::plugins::spread
