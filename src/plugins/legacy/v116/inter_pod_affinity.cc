// SPDX-License-Identifier: Apache-2.0
#include "plugins/legacy/v116/inter_pod_affinity.h"

#include <algorithm>

#include "plugins/inter_pod_affinity/state.h"

namespace berth::plugins::legacy::v116 {
namespace {

using cluster::NodeSlot;
using framework::Status;
using interpod::FilterState;
using interpod::TopologySums;

// The rule that the node breaks, or nothing.
std::string_view BrokenRule(const FilterState& state, NodeSlot slot) {
  if (state.existing.AnyPositive(slot)) return InterPodAffinity::kReasonExisting;
  const auto has_match = [&](const TopologySums::Key& key) { return key.Of(slot) > 0; };
  const bool is_first = state.affinity.total() == 0 && state.matches_itself;
  if (state.affinity_counter != nullptr && !is_first && !std::ranges::all_of(state.affinity.keys(), has_match)) {
    return InterPodAffinity::kReasonAffinity;
  }
  return state.anti_affinity.AnyPositive(slot) ? InterPodAffinity::kReasonAntiAffinity : std::string_view();
}

void AddExisting(framework::Cycle& cycle, FilterState& state, const cluster::PodInfo& pod, NodeSlot node,
                 int64_t delta) {
  const cluster::PodInfo& incoming = cycle.pod();
  const api::Labels& namespace_labels = cycle.cluster().NamespaceLabels(incoming.ns());
  for (const cluster::AffinityTerm& term : pod.pod_template->required_anti_affinity) {
    if (!term.Matches(incoming.ns(), incoming.labels(), namespace_labels)) continue;
    state.existing.Add(state.existing.At(cycle.nodes(), term.topology_key), node, delta);
  }
}

}  // namespace

framework::PreFilterResult MatchInterPodAffinity::PreFilter(framework::Cycle& cycle) const {
  framework::PreFilterResult result = InterPodAffinity::PreFilter(cycle);
  // Nominated pods may have terms that concern a pod which no other pod keeps away.
  if (result.status.is_skip() && !cycle.cluster().nominated.empty()) {
    cycle.MakeState<interpod::State>(index()).filter.emplace(cycle.is_of_group());
    return {};
  }
  return result;
}

Status MatchInterPodAffinity::AddPod(framework::Cycle& cycle, const cluster::PodInfo& pod, NodeSlot node) const {
  if (!pod.node_name.empty()) return InterPodAffinity::AddPod(cycle, pod, node);
  AddExisting(cycle, *cycle.state<interpod::State>(index())->filter, pod, node, 1);
  return Status::Success();
}

Status MatchInterPodAffinity::RemovePod(framework::Cycle& cycle, const cluster::PodInfo& pod, NodeSlot node) const {
  if (!pod.node_name.empty()) return InterPodAffinity::RemovePod(cycle, pod, node);
  AddExisting(cycle, *cycle.state<interpod::State>(index())->filter, pod, node, -1);
  return Status::Success();
}

void MatchInterPodAffinity::Filter(framework::Cycle& cycle, framework::Candidates& candidates) const {
  const FilterState& state = *cycle.state<interpod::State>(index())->filter;
  Reasons reasons;
  candidates.RejectEach([&](NodeSlot slot) {
    reasons.Clear();
    const std::string_view rule = BrokenRule(state, slot);
    if (!rule.empty()) reasons.Add(kReason);
    if (rule == kReasonAffinity) {
      reasons.AddUnresolvable(rule);
    } else if (!rule.empty()) {
      reasons.Add(rule);
    }
    return reasons.ToVerdict(candidates.reasons());
  });
}

std::vector<framework::EventRegistration> MatchInterPodAffinity::EventsToRegister() const {
  return {{.event = {framework::EventResource::kWildcard, framework::action::kAll}}};
}

Status InterPodAffinityPriority::Normalize(framework::Cycle&, std::span<const NodeSlot> nodes,
                                           framework::Scores& scores) const {
  if (nodes.empty()) return Status::Success();
  const std::span<int64_t> values = scores.values();
  const int64_t least = std::min<int64_t>(0, std::ranges::min(values));
  const int64_t most = std::max<int64_t>(0, std::ranges::max(values));
  const double range = static_cast<double>(most - least);
  for (int64_t& value : values) {
    const double share = most > least ? static_cast<double>(value - least) / range : 0;
    value = static_cast<int64_t>(static_cast<double>(kMaxPriority) * share);
  }
  return Status::Success();
}

}  // namespace berth::plugins::legacy::v116
