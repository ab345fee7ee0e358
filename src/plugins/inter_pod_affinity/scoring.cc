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
using interpod::TopologySums;

// What the pod's preferred terms say of the pods on nodes.
void AddOwnTerms(const framework::Cycle& cycle, const std::vector<AffinityTerm>& terms, int64_t sign,
                 TopologySums& sums) {
  const cluster::Cluster& cluster = cycle.cluster();
  for (const AffinityTerm& term : terms) {
    const auto counter = cluster.CountPods(interpod::MatchesTerm(term, cluster.objects.namespaces));
    sums.Add(sums.At(cycle.nodes(), term.topology_key), *counter, sign * term.weight);
  }
}

// What the terms of the pods on nodes say of the pod.
class ExistingTerms {
 public:
  ExistingTerms(const framework::Cycle& cycle, TopologySums& sums)
      : cycle_(cycle),
        pod_(cycle.pod()),
        namespace_labels_(cycle.cluster().NamespaceLabels(cycle.pod().ns())),
        sums_(sums) {}

  void Add(const cluster::AffinityIndex::Group& group, int32_t required_weight) {
    const cluster::PodTemplate& existing = *group.pod_template;
    if (required_weight > 0) {
      for (const AffinityTerm& term : existing.required_affinity) Add(group, term, required_weight);
    }
    for (const AffinityTerm& term : existing.preferred_affinity) Add(group, term, term.weight);
    for (const AffinityTerm& term : existing.preferred_anti_affinity) Add(group, term, -term.weight);
  }

 private:
  void Add(const cluster::AffinityIndex::Group& group, const AffinityTerm& term, int64_t weight) {
    const cluster::NodeTable& nodes = cycle_.nodes();
    if (!nodes.HasLabel(term.topology_key) || !term.Matches(pod_.ns(), pod_.labels(), namespace_labels_)) return;
    sums_.Add(sums_.At(nodes, term.topology_key), group, weight);
  }

  const framework::Cycle& cycle_;
  const PodInfo& pod_;
  const api::Labels& namespace_labels_;
  TopologySums& sums_;
};

}  // namespace

Status InterPodAffinity::PreScore(framework::Cycle& cycle, std::span<const NodeSlot>) const {
  const cluster::PodTemplate& pod_template = *cycle.pod().pod_template;
  if (!pod_template.affinity_error.empty()) return Status::Error("failed to parse pod: " + pod_template.affinity_error);
  const bool has_preferences =
      !pod_template.preferred_affinity.empty() || !pod_template.preferred_anti_affinity.empty();
  if (args_.ignore_preferred_terms_of_existing_pods && !has_preferences) return Status::Skip();

  TopologySums sums;
  AddOwnTerms(cycle, pod_template.preferred_affinity, 1, sums);
  AddOwnTerms(cycle, pod_template.preferred_anti_affinity, -1, sums);
  ExistingTerms existing(cycle, sums);
  for (const auto& [id, group] : cycle.cluster().affinity().groups())
    existing.Add(group, args_.hard_pod_affinity_weight);
  if (!sums.touched()) return Status::Skip();

  interpod::State* made = cycle.state<interpod::State>(index());
  (made != nullptr ? *made : cycle.MakeState<interpod::State>(index())).score = std::move(sums);
  return Status::Success();
}

Status InterPodAffinity::Score(framework::Cycle& cycle, std::span<const NodeSlot> nodes,
                               framework::Scores& scores) const {
  const TopologySums& sums = *cycle.state<interpod::State>(index())->score;
  const std::span<int64_t> values = scores.MakeArray(nodes.size());
  std::ranges::fill(values, 0);
  for (const TopologySums::Key& key : sums.keys()) {
    for (size_t i = 0; i < nodes.size(); ++i) values[i] += key.Of(nodes[i]);
  }
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
  for (int64_t& value : values) {
    value = static_cast<int64_t>(static_cast<double>(framework::kMaxNodeScore) *
                                 (static_cast<double>(value - least) / range));
  }
  return Status::Success();
}

}  // namespace berth::plugins
