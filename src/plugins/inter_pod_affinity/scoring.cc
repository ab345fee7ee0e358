// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <array>
#include <optional>

#include "plugins/inter_pod_affinity/inter_pod_affinity.h"
#include "plugins/inter_pod_affinity/own_terms.h"
#include "plugins/inter_pod_affinity/state.h"

namespace berth::plugins {
namespace {

using cluster::AffinityTerm;
using cluster::NodeSlot;
using cluster::PodInfo;
using framework::Status;
using interpod::TopologySums;

// What the pod's preferred terms say of the pods on nodes.
void AddOwnTerms(const framework::Cycle& cycle, const std::vector<AffinityTerm>& terms, int64_t sign,
                 TopologySums& sums) {
  const cluster::Cluster& cluster = cycle.cluster();
  for (const AffinityTerm& term : terms) {
    const auto counter = cluster.CountPods(interpod::MatchesTerm(term, cluster.objects.namespaces));
    const std::shared_ptr<const cluster::NodeCounts> pods(counter, &counter->pods());
    sums.Add(sums.At(cycle.nodes(), term.topology_key), pods, sign * term.weight);
  }
}

// What a pod on a node that carries the term adds to the nodes of its domain, if such terms count.
std::optional<int64_t> WeightOf(const cluster::AffinityIndex::Term& carried, int32_t required_weight) {
  switch (carried.kind) {
    case cluster::TermKind::kRequiredAffinity:
      return required_weight > 0 ? std::optional<int64_t>(required_weight) : std::nullopt;
    case cluster::TermKind::kRequiredAntiAffinity: return std::nullopt;
    case cluster::TermKind::kPreferredAffinity: return carried.term->weight;
    case cluster::TermKind::kPreferredAntiAffinity: return -int64_t{carried.term->weight};
  }
  return std::nullopt;
}

// What the terms of the pods on nodes say of the pod.
void AddExistingTerms(const framework::Cycle& cycle, int32_t required_weight, TopologySums& sums) {
  const PodInfo& pod = cycle.pod();
  const cluster::NodeTable& nodes = cycle.nodes();
  const cluster::AffinityIndex& index = cycle.cluster().affinity();
  index.ForEachTerm(pod, [&](cluster::AffinityIndex::TermId id, const cluster::AffinityIndex::Term& carried) {
    const std::optional<int64_t> weight = WeightOf(carried, required_weight);
    if (!weight || !nodes.HasLabel(carried.term->topology_key)) return;
    if (!carried.term->Matches(pod.ns(), pod.labels(), cycle.cluster().NamespaceLabels(pod.ns()))) return;
    sums.Add(sums.At(nodes, carried.term->topology_key), index.PodsWith(id), *weight);
  });
}

}  // namespace

Status InterPodAffinity::PreScore(framework::Cycle& cycle, std::span<const NodeSlot>) const {
  interpod::State* made = cycle.state<interpod::State>(index());
  if (made != nullptr && made->score) return Status::Success();  // For the traits of nodes.
  const cluster::PodTemplate& pod_template = *cycle.pod().pod_template;
  if (!pod_template.affinity_error.empty()) return Status::Error("failed to parse pod: " + pod_template.affinity_error);
  const bool has_preferences =
      !pod_template.preferred_affinity.empty() || !pod_template.preferred_anti_affinity.empty();
  if (args_.ignore_preferred_terms_of_existing_pods && !has_preferences) return Status::Skip();

  TopologySums sums(cycle.is_of_group());
  AddOwnTerms(cycle, pod_template.preferred_affinity, 1, sums);
  AddOwnTerms(cycle, pod_template.preferred_anti_affinity, -1, sums);
  AddExistingTerms(cycle, args_.hard_pod_affinity_weight, sums);
  if (!sums.touched()) return Status::Skip();

  (made != nullptr ? *made : cycle.MakeState<interpod::State>(index())).score = std::move(sums);
  return Status::Success();
}

Status InterPodAffinity::Score(framework::Cycle& cycle, std::span<const NodeSlot> nodes,
                               framework::Scores& scores) const {
  const TopologySums& sums = *cycle.state<interpod::State>(index())->score;
  const std::span<int64_t> values = scores.MakeArray(nodes.size());
  std::ranges::fill(values, 0);
  for (const TopologySums::Key& key : sums.keys()) key.AddTo(nodes, values);
  return Status::Success();
}

Status InterPodAffinity::Normalize(framework::Cycle&, std::span<const NodeSlot> nodes,
                                   framework::Scores& scores) const {
  if (nodes.empty()) return Status::Success();
  const std::span<int64_t> values = scores.values();
  const auto [least, most] = std::ranges::minmax(values);
  if (least == most) {
    scores.SetUniform(nodes.size(), 0);
    return Status::Success();
  }
  const double range = static_cast<double>(most - least);
  const auto normalized = [&](int64_t value) {
    return static_cast<int64_t>(static_cast<double>(framework::kMaxNodeScore) *
                                (static_cast<double>(value - least) / range));
  };
  // Many nodes usually have few values: each is worked out once.
  std::array<int64_t, 256> known;
  if (most - least < static_cast<int64_t>(std::min(known.size(), nodes.size()))) {
    for (int64_t value = least; value <= most; ++value) known[static_cast<size_t>(value - least)] = normalized(value);
    for (int64_t& value : values) value = known[static_cast<size_t>(value - least)];
  } else {
    for (int64_t& value : values) value = normalized(value);
  }
  return Status::Success();
}

}  // namespace berth::plugins
