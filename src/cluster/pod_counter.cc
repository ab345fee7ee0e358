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

bool PodCounter::Matches(const PodInfo& pod) const {
  if (!MatchesApartFromLabels(query_, pod)) return false;
  const uint64_t id = pod.label_set->id;
  uint64_t& known = label_matches_[id % kRemembered];
  if (known / 2 != id) known = 2 * id + (MatchesAll(query_.selectors, pod.labels()) ? 1 : 0);
  return known % 2 != 0;
}

void PodCounter::Add(NodeSlot slot, const PodInfo& pod, int32_t sign) {
  if (Matches(pod)) Change(slot, sign);
}

void PodCounter::Change(NodeSlot slot, int32_t sign) {
  if (slot.index >= counts_.size()) counts_.resize(slot.index + 1);
  counts_[slot.index] += sign;
  total_ += sign;
}

void PodCounter::AddAll(const NodeTable& nodes) {
  counts_.resize(nodes.slot_limit());
  boost::unordered_flat_map<uint64_t, bool> label_matches;  // All label sets there are, by id.
  for (uint32_t i = 0; i < nodes.slot_limit(); ++i) {
    for (const PodPtr& pod : nodes.pods[i].pods) {
      if (!MatchesApartFromLabels(query_, *pod)) continue;
      const auto [it, is_new] = label_matches.try_emplace(pod->label_set->id, false);
      if (is_new) it->second = MatchesAll(query_.selectors, pod->labels());
      if (it->second) Change(NodeSlot{i}, 1);
    }
  }
}

std::shared_ptr<const PodCounter> PodCounters::Get(const PodQuery& query, const NodeTable& nodes) {
  return counters_.Get(query.Key(), [&] {
    auto made = std::make_shared<PodCounter>(query);
    made->AddAll(nodes);
    return made;
  });
}

void PodCounters::PodAdded(NodeSlot slot, const PodInfo& pod) {
  counters_.ForEach([&](PodCounter& counter) { counter.Add(slot, pod, 1); });
}

void PodCounters::PodRemoved(NodeSlot slot, const PodInfo& pod) {
  counters_.ForEach([&](PodCounter& counter) { counter.Add(slot, pod, -1); });
}

void PodCounters::AppendSizes(TableSizes& sizes) const {
  size_t bytes = 0;
  counters_.ForEach([&](const PodCounter& counter) { bytes += counter.bytes(); });
  sizes.insert(sizes.end(), {{"pod counters", counters_.size()}, {"pod counter bytes", bytes}});
}

}  // namespace berth::cluster
