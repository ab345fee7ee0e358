// SPDX-License-Identifier: Apache-2.0

#include <algorithm>

#include "plugins/inter_pod_affinity/inter_pod_affinity.h"
#include "plugins/inter_pod_affinity/own_terms.h"
#include "plugins/inter_pod_affinity/state.h"

namespace berth::plugins {
namespace {

using cluster::AffinityTerm;
using cluster::NodeSlot;
using cluster::PodInfo;
using framework::Status;
using framework::StatusCode;
using interpod::FilterState;
using interpod::TopologySums;

// The pods that a counter counts; they live as long as it does.
std::shared_ptr<const cluster::NodeCounts> Counted(const std::shared_ptr<const cluster::PodCounter>& counter) {
  return {counter, &counter->pods()};
}

// Finds the pods that keep the incoming pod away from them.
void CountExisting(const framework::Cycle& cycle, FilterState& state) {
  const PodInfo& pod = cycle.pod();
  const cluster::NodeTable& nodes = cycle.nodes();
  const cluster::AffinityIndex& index = cycle.cluster().affinity();
  index.ForEachTerm(pod, [&](cluster::AffinityIndex::TermId id, const cluster::AffinityIndex::Term& carried) {
    if (carried.kind != cluster::TermKind::kRequiredAntiAffinity || !nodes.HasLabel(carried.term->topology_key)) return;
    if (!carried.term->Matches(pod.ns(), pod.labels(), cycle.cluster().NamespaceLabels(pod.ns()))) return;
    state.existing.Add(state.existing.At(nodes, carried.term->topology_key), index.PodsWith(id), 1);
  });
}

void CountAffinity(const framework::Cycle& cycle, FilterState& state) {
  const std::vector<AffinityTerm>& terms = cycle.pod().pod_template->required_affinity;
  if (terms.empty()) return;
  const cluster::Cluster& cluster = cycle.cluster();
  state.affinity_counter = cluster.CountPods(interpod::MatchesAllTerms(terms, cluster.objects.namespaces));
  state.matches_itself = state.affinity_counter->query().Matches(cycle.pod());
  for (const AffinityTerm& term : terms) {
    state.affinity.Add(state.affinity.At(cycle.nodes(), term.topology_key), Counted(state.affinity_counter), 1);
  }
}

void CountAntiAffinity(const framework::Cycle& cycle, FilterState& state) {
  const cluster::Cluster& cluster = cycle.cluster();
  for (const AffinityTerm& term : cycle.pod().pod_template->required_anti_affinity) {
    state.anti_terms.push_back({&term, cluster.CountPods(interpod::MatchesTerm(term, cluster.objects.namespaces))});
    state.anti_affinity.Add(state.anti_affinity.At(cycle.nodes(), term.topology_key),
                            Counted(state.anti_terms.back().counter), 1);
  }
}

// A pod whose affinity no pod satisfies yet may be the first of a series that wants to be together: it may go to any
// node that has the topology keys if it satisfies its own terms.
void RejectByAffinity(const FilterState& state, framework::Candidates& candidates) {
  if (state.affinity_counter == nullptr) return;
  const bool is_first = state.affinity.total() == 0 && state.matches_itself;
  candidates.RejectIf(StatusCode::kUnschedulableAndUnresolvable, InterPodAffinity::kReasonAffinity, [&](NodeSlot slot) {
    return !std::ranges::all_of(state.affinity.keys(), [&](const TopologySums::Key& key) {
      return is_first ? key.HasDomain(slot) : key.Of(slot) > 0;
    });
  });
}

void RejectByPositive(const TopologySums& sums, std::string_view reason, framework::Candidates& candidates) {
  if (sums.total() == 0) return;
  if (const std::optional<cluster::NodeBits> positive = sums.PositiveNodes(candidates.nodes().size())) {
    // Often the same few pods mind the newcomer and are minded by it: then their nodes are out already.
    bool any_left = false;
    positive->ForEach([&](NodeSlot slot) { any_left |= candidates.verdict(slot).code == StatusCode::kSuccess; });
    if (any_left) {
      candidates.RejectIf(StatusCode::kUnschedulable, reason, [&](NodeSlot slot) { return positive->Contains(slot); });
    }
    return;
  }
  candidates.RejectIf(StatusCode::kUnschedulable, reason, [&](NodeSlot slot) { return sums.AnyPositive(slot); });
}

}  // namespace

framework::PreFilterResult InterPodAffinity::PreFilter(framework::Cycle& cycle) const {
  const cluster::PodTemplate& pod_template = *cycle.pod().pod_template;
  if (!pod_template.affinity_error.empty()) {
    return {Status::Unresolvable("parsing pod: " + pod_template.affinity_error)};
  }
  FilterState state(cycle.is_of_group());
  CountExisting(cycle, state);
  const bool has_terms = !pod_template.required_affinity.empty() || !pod_template.required_anti_affinity.empty();
  if (!has_terms && state.existing.total() == 0) return {Status::Skip()};
  CountAffinity(cycle, state);
  CountAntiAffinity(cycle, state);
  cycle.MakeState<interpod::State>(index()).filter = std::move(state);
  return {Status::Success()};
}

void InterPodAffinity::Filter(framework::Cycle& cycle, framework::Candidates& candidates) const {
  const FilterState& state = *cycle.state<interpod::State>(index())->filter;
  RejectByAffinity(state, candidates);
  RejectByPositive(state.anti_affinity, kReasonAntiAffinity, candidates);
  RejectByPositive(state.existing, kReasonExisting, candidates);
}

Status InterPodAffinity::AddPod(framework::Cycle& cycle, const PodInfo& pod, NodeSlot node) const {
  return UpdateWithPod(cycle, pod, node, 1);
}

Status InterPodAffinity::RemovePod(framework::Cycle& cycle, const PodInfo& pod, NodeSlot node) const {
  return UpdateWithPod(cycle, pod, node, -1);
}

Status InterPodAffinity::UpdateWithPod(framework::Cycle& cycle, const PodInfo& pod, NodeSlot node,
                                       int64_t delta) const {
  FilterState& state = *cycle.state<interpod::State>(index())->filter;
  const PodInfo& incoming = cycle.pod();
  for (const AffinityTerm& term : pod.pod_template->required_anti_affinity) {
    const api::Labels& namespace_labels = cycle.cluster().NamespaceLabels(incoming.ns());
    if (!term.Matches(incoming.ns(), incoming.labels(), namespace_labels)) continue;
    state.existing.Add(state.existing.At(cycle.nodes(), term.topology_key), node, delta);
  }
  if (state.affinity_counter != nullptr && state.affinity_counter->Matches(pod)) {
    for (const AffinityTerm& term : incoming.pod_template->required_affinity) {
      state.affinity.Add(state.affinity.At(cycle.nodes(), term.topology_key), node, delta);
    }
  }
  for (const auto& [term, counter] : state.anti_terms) {
    if (!counter->Matches(pod)) continue;
    state.anti_affinity.Add(state.anti_affinity.At(cycle.nodes(), term->topology_key), node, delta);
  }
  return Status::Success();
}

}  // namespace berth::plugins
