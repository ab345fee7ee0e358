// SPDX-License-Identifier: Apache-2.0
// PodCounters: how many pods on each node match a selector, kept up to date as pods come and go.
//
// Topology spread and inter-pod affinity ask for the same few selectors again and again. The first question scans the
// cluster; from then on each pod that is added or removed adjusts the counters it matches. Whether a label set matches
// is remembered per counter, so the cost of a pod is a lookup per counter. Counters not asked for recently are dropped.
//
// Thread: core. Cost: four bytes per node and counter, so at most two kilobytes per node.

#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "api/parts/selector.h"
#include "cluster/node_table.h"
#include "cluster/tables/recent_values.h"

namespace berth::cluster {

// Which pods a counter counts.
struct PodQuery {
  // Namespaces the pod may be in: sorted, unique. Empty with `all_namespaces` unset matches nothing.
  std::vector<std::string> namespaces;
  bool all_namespaces = false;
  // The pod must match every selector. (Several: pods that match all terms of an affinity.)
  std::vector<api::Selector> selectors;
  bool skip_terminating = false;

  bool Matches(const PodInfo& pod) const;
  std::string Key() const;
};

class PodCounter {
 public:
  explicit PodCounter(PodQuery query) : query_(std::move(query)) {}

  const PodQuery& query() const { return query_; }
  bool Matches(const PodInfo& pod) const;
  // Matching pods on each node, indexed by slot; may be shorter than the table (missing means 0).
  const std::vector<int32_t>& counts() const { return counts_; }
  int32_t count(NodeSlot slot) const { return slot.index < counts_.size() ? counts_[slot.index] : 0; }
  int64_t total() const { return total_; }

  void Add(NodeSlot slot, const PodInfo& pod, int32_t sign);
  // Adds all pods of `nodes`. REQUIRES: none was added.
  void AddAll(const NodeTable& nodes);

  size_t bytes() const { return sizeof(*this) + counts_.capacity() * sizeof(int32_t); }

 private:
  static constexpr size_t kRemembered = 64;

  void Change(NodeSlot slot, int32_t sign);

  PodQuery query_;
  std::vector<int32_t> counts_;
  int64_t total_ = 0;
  // Whether the labels match, for label sets met lately; namespaces are compared each time. Each label set has one
  // place, by its id. An entry is twice the id, and one more if they match.
  mutable std::array<uint64_t, kRemembered> label_matches_{};
};

class PodCounters {
 public:
  explicit PodCounters(size_t limit = 512) : counters_(limit) {}

  // The counter of `query`; made by scanning `nodes` when it is new. It follows the pods until a
  // Get() of another query drops it.
  std::shared_ptr<const PodCounter> Get(const PodQuery& query, const NodeTable& nodes);

  void PodAdded(NodeSlot slot, const PodInfo& pod);
  void PodRemoved(NodeSlot slot, const PodInfo& pod);

  void AppendSizes(TableSizes& sizes) const;

 private:
  RecentValues<PodCounter> counters_;
};

}  // namespace berth::cluster
