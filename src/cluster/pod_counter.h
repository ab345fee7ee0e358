// SPDX-License-Identifier: Apache-2.0
// PodCounters: how many pods on each node match a selector, kept up to date as pods come and go.
//
// Topology spread and inter-pod affinity ask for the same selectors again and again. The first question looks at the
// nodes that have a label which the selector asks for (PodsByLabel), or else at all; from then on each pod that is
// added or removed adjusts the counters it matches, and meets no others but those that ask for one of its labels
// (SelectorIndex). Counters not asked for recently are dropped.
//
// Thread: core. Cost: some hundred bytes per counter and some per node with a pod that it counts; all of them together
// take at most about two kilobytes per node, or four megabytes.

#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "api/parts/selector.h"
#include "cluster/node_counts.h"
#include "cluster/node_table.h"
#include "cluster/pods_by_label.h"
#include "cluster/selector_index.h"
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
  SelectorReach reach() const {
    return {.namespaces = namespaces, .all_namespaces = all_namespaces, .selectors = selectors};
  }
};

class PodCounter {
 public:
  explicit PodCounter(PodQuery query) : query_(std::move(query)) {}

  const PodQuery& query() const { return query_; }
  bool Matches(const PodInfo& pod) const { return query_.Matches(pod); }
  // Matching pods on each node, and in each domain of a topology key.
  const NodeCounts& pods() const { return pods_; }
  int32_t count(NodeSlot slot) const { return pods_.count(slot); }
  int64_t total() const { return pods_.total(); }

  void Add(NodeSlot slot, const PodInfo& pod, int32_t sign) {
    if (Matches(pod)) pods_.Change(slot, sign);
  }

  size_t bytes() const { return sizeof(*this) + pods_.bytes(); }

 private:
  friend class PodCounters;

  PodQuery query_;
  NodeCounts pods_;
  SelectorPlace place_;  // In the index of all counters.
};

class PodCounters {
 public:
  explicit PodCounters(size_t limit = kCountersMax) : counters_(limit) {}
  // Begins without counters, which are made quickly by what is known of labels.
  PodCounters(const PodCounters& other) : counters_(other.counters_), labels_(other.labels_) {}
  PodCounters& operator=(const PodCounters&) = delete;

  // The counter of `query`; made of the pods of `nodes` when it is new. It follows the pods until a Get() of another
  // query drops it.
  std::shared_ptr<const PodCounter> Get(const PodQuery& query, const NodeTable& nodes);

  void PodAdded(NodeSlot slot, const PodInfo& pod);
  void PodRemoved(NodeSlot slot, const PodInfo& pod);

  void AppendSizes(TableSizes& sizes) const;

 private:
  static constexpr size_t kCountersMax = 16'384;
  static constexpr size_t kBytesMin = 4U << 20U;  // They may always take so much,
  static constexpr size_t kBytesPerNode = 2'048;  // and so much for each node.
  static constexpr size_t kMeasureEvery = 256;    // Counters made and pods changed, at least.

  std::shared_ptr<PodCounter> Make(const PodQuery& query, const NodeTable& nodes);
  void Change(NodeSlot slot, const PodInfo& pod, int32_t sign);
  size_t bytes() const;
  // Drops counters if they take too much room, now and then.
  void Measure();

  RecentValues<PodCounter> counters_;
  SelectorIndex<PodCounter*> by_selector_;
  PodsByLabel labels_;
  size_t since_measured_ = 0;
  size_t slot_limit_ = 0;  // Of the nodes, when a counter was last asked for.
};

}  // namespace berth::cluster
