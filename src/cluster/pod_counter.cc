// SPDX-License-Identifier: Apache-2.0

#include "cluster/pod_counter.h"

#include <algorithm>

namespace berth::cluster {
namespace {

// Label sets remembered per counter; pods of a StatefulSet have one each.
constexpr size_t kLabelMatchesMax = 1024;

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
  if (label_matches_.size() >= kLabelMatchesMax) label_matches_.clear();
  const auto [it, is_new] = label_matches_.try_emplace(pod.label_set->id, false);
  if (is_new) it->second = MatchesAll(query_.selectors, pod.labels());
  return it->second;
}

void PodCounter::Add(NodeSlot slot, const PodInfo& pod, int32_t sign) {
  if (!Matches(pod)) return;
  if (slot.index >= counts_.size()) counts_.resize(slot.index + 1);
  counts_[slot.index] += sign;
  total_ += sign;
}

std::shared_ptr<const PodCounter> PodCounters::Get(const PodQuery& query, const NodeTable& nodes) {
  const auto [it, is_new] = counters_.try_emplace(query.Key());
  const std::shared_ptr<PodCounter> counter = is_new ? std::make_shared<PodCounter>(query) : it->second;
  counter->last_use_ = ++clock_;
  if (!is_new) return counter;

  it->second = counter;
  counter->counts_.resize(nodes.slot_limit());
  for (uint32_t i = 0; i < nodes.slot_limit(); ++i) {
    for (const PodPtr& pod : nodes.pods[i].pods) counter->Add(NodeSlot{i}, *pod, 1);
  }
  if (counters_.size() > limit_) Evict();
  return counter;
}

void PodCounters::PodAdded(NodeSlot slot, const PodInfo& pod) {
  for (const auto& [key, counter] : counters_) counter->Add(slot, pod, 1);
}

void PodCounters::PodRemoved(NodeSlot slot, const PodInfo& pod) {
  for (const auto& [key, counter] : counters_) counter->Add(slot, pod, -1);
}

// Drops the half that was not asked for longest, so that a full set is not searched at every new query.
void PodCounters::Evict() {
  std::vector<uint64_t> uses;
  for (const auto& [key, counter] : counters_) uses.push_back(counter->last_use_);
  const auto median = uses.begin() + static_cast<std::ptrdiff_t>(uses.size() / 2);
  std::ranges::nth_element(uses, median);
  boost::unordered::erase_if(counters_, [&](const auto& entry) { return entry.second->last_use_ < *median; });
}

}  // namespace berth::cluster
