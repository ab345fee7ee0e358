// SPDX-License-Identifier: Apache-2.0

#include "cluster/pod_counter.h"

#include <algorithm>

#include <boost/unordered/unordered_flat_map.hpp>

namespace berth::cluster {
namespace {

bool MatchesAll(const std::vector<api::Selector>& selectors, const api::Labels& labels) {
  return std::ranges::all_of(selectors, [&](const api::Selector& selector) { return selector.Matches(labels); });
}

bool MatchesApartFromLabels(const PodQuery& query, const PodInfo& pod) {
  if (query.skip_terminating && pod.is_terminating()) return false;
  return query.all_namespaces || std::ranges::binary_search(query.namespaces, pod.ns());
}

// Adds the pods of some nodes to a counter; each set of labels is matched once.
class PodScan {
 public:
  PodScan(const PodQuery& query, const NodeTable& nodes, NodeCounts& counts)
      : query_(query), nodes_(nodes), counts_(counts) {}

  void Add(NodeSlot slot) {
    for (const PodPtr& pod : nodes_.pods[slot.index].pods) {
      if (!MatchesApartFromLabels(query_, *pod)) continue;
      const auto [it, is_new] = matches_.try_emplace(pod->label_set->id, false);
      if (is_new) it->second = MatchesAll(query_.selectors, pod->labels());
      if (it->second) counts_.Change(slot, 1);
    }
  }

 private:
  const PodQuery& query_;
  const NodeTable& nodes_;
  NodeCounts& counts_;
  boost::unordered_flat_map<uint64_t, bool> matches_;  // By id of the label set.
};

}  // namespace

bool PodQuery::Matches(const PodInfo& pod) const {
  return MatchesApartFromLabels(*this, pod) && MatchesAll(selectors, pod.labels());
}

std::string PodQuery::Key() const {
  std::string key = skip_terminating ? "living" : "all";
  if (all_namespaces) {
    key += " *";
  } else {
    for (const std::string& ns : namespaces) (key += '\0') += ns;
  }
  for (const api::Selector& selector : selectors) {
    key += selector.matches_nothing() ? "\n!" : "\n=";
    key += selector.ToString();
  }
  return key;
}

std::shared_ptr<const PodCounter> PodCounters::Get(const PodQuery& query, const NodeTable& nodes) {
  slot_limit_ = nodes.slot_limit();
  return counters_.Get(
      query.Key(), [&] { return Make(query, nodes); },
      [&](PodCounter& gone) { by_selector_.Remove(gone.place_, &gone); });
}

std::shared_ptr<PodCounter> PodCounters::Make(const PodQuery& query, const NodeTable& nodes) {
  Measure();
  auto made = std::make_shared<PodCounter>(query);
  PodScan scan(made->query_, nodes, made->pods_);
  if (const std::optional<std::vector<NodeSlot>> slots = labels_.NodesFor(query.reach(), nodes)) {
    for (const NodeSlot slot : *slots) scan.Add(slot);
  } else {
    for (uint32_t i = 0; i < nodes.slot_limit(); ++i) scan.Add(NodeSlot{i});
  }
  made->place_ = by_selector_.Add(made->query_.reach(), made.get());
  return made;
}

void PodCounters::PodAdded(NodeSlot slot, const PodInfo& pod) { Change(slot, pod, 1); }

void PodCounters::PodRemoved(NodeSlot slot, const PodInfo& pod) { Change(slot, pod, -1); }

void PodCounters::Change(NodeSlot slot, const PodInfo& pod, int32_t sign) {
  if (sign > 0) {
    labels_.PodAdded(slot, pod);
  } else {
    labels_.PodRemoved(slot, pod);
  }
  by_selector_.ForEach(pod.ns(), pod.labels(), [&](PodCounter* counter) { counter->Add(slot, pod, sign); });
  Measure();
}

size_t PodCounters::bytes() const {
  size_t bytes = 0;
  counters_.ForEach([&](const PodCounter& counter) { bytes += counter.bytes(); });
  return bytes;
}

void PodCounters::Measure() {
  // Many are measured less often, so that it costs each change the same.
  if (++since_measured_ < std::max(kMeasureEvery, counters_.size() / 4)) return;
  since_measured_ = 0;
  // The first time those go that were not asked for lately, the second time all.
  const size_t limit = std::max(kBytesMin, slot_limit_ * kBytesPerNode);
  for (int i = 0; i < 2 && bytes() > limit; ++i) {
    counters_.Age([&](PodCounter& gone) { by_selector_.Remove(gone.place_, &gone); });
  }
}

void PodCounters::AppendSizes(TableSizes& sizes) const {
  sizes.insert(sizes.end(), {{"pod counters", counters_.size()},
                             {"pod counter bytes", bytes()},
                             {"pod counter labels", labels_.size()},
                             {"pod counter label bytes", labels_.bytes()}});
}

}  // namespace berth::cluster
