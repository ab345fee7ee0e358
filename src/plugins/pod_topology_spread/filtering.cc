// SPDX-License-Identifier: Apache-2.0

#include <algorithm>

#include "plugins/pod_topology_spread/pod_topology_spread.h"
#include "plugins/pod_topology_spread/state.h"

namespace berth::plugins {
namespace {

using cluster::kNoDomain;
using cluster::NodeSlot;
using framework::Status;
using framework::StatusCode;
using spread::Constraint;
using spread::FilterState;
using spread::HardConstraint;

bool HasAllKeys(const std::vector<HardConstraint>& constraints, NodeSlot slot) {
  return std::ranges::all_of(constraints,
                             [&](const HardConstraint& hard) { return hard.topology->domain(slot) != kNoDomain; });
}

}  // namespace

framework::PreFilterResult PodTopologySpread::PreFilter(framework::Cycle& cycle) const {
  Result<std::vector<Constraint>> constraints =
      spread::BuildConstraints(cycle.pod(), cycle.cluster().objects, options_, spread::Kind::kHard);
  if (!constraints) return {Status::Error("get constraints from pod: " + constraints.error().message)};
  if (constraints->empty()) return {Status::Skip()};

  FilterState& state = cycle.MakeState<spread::State>(index()).filter.emplace(
      std::vector<HardConstraint>(),
      spread::NodeInclusion(cycle.pod(), *constraints, options_.comparison_operators, cycle.nodes()));
  std::vector<spread::TopologyPtr> topologies;
  for (const Constraint& constraint : *constraints) {
    topologies.push_back(cycle.nodes().Topology(constraint.topology_key));
  }
  for (size_t i = 0; i < constraints->size(); ++i) {
    HardConstraint& hard = state.constraints.emplace_back();
    hard.constraint = std::move((*constraints)[i]);
    hard.topology = topologies[i];
    hard.pods = CountByDomain(cycle, hard.constraint, topologies[i], topologies, state.inclusion);
    hard.self_match = hard.constraint.selector.Matches(cycle.pod().labels());
  }
  return {Status::Success()};
}

void PodTopologySpread::Filter(framework::Cycle& cycle, framework::Candidates& candidates) const {
  const FilterState& state = *cycle.state<spread::State>(index())->filter;
  for (const HardConstraint& hard : state.constraints) {
    if (hard.pods->nodes_without_key() > 0) {
      candidates.RejectIf(StatusCode::kUnschedulableAndUnresolvable, kReasonMissingLabel,
                          [&](NodeSlot slot) { return hard.topology->domain(slot) == kNoDomain; });
    }
    const int64_t limit = hard.Limit();
    const spread::DomainCounts& domains = hard.domains();
    if (limit >= domains.maximum() && limit >= 0) continue;
    candidates.RejectIf(StatusCode::kUnschedulable, kReasonSkew,
                        [&](NodeSlot slot) { return domains.count(hard.topology->domain(slot)) > limit; });
  }
}

Status PodTopologySpread::AddPod(framework::Cycle& cycle, const cluster::PodInfo& pod, NodeSlot node) const {
  return UpdateWithPod(cycle, pod, node, 1);
}

Status PodTopologySpread::RemovePod(framework::Cycle& cycle, const cluster::PodInfo& pod, NodeSlot node) const {
  return UpdateWithPod(cycle, pod, node, -1);
}

// Unlike counting, this looks at neither deletion nor empty selectors: upstream has it so, and a terminating victim
// that is taken away can bring a count below zero.
Status PodTopologySpread::UpdateWithPod(framework::Cycle& cycle, const cluster::PodInfo& pod, NodeSlot node,
                                        int32_t delta) const {
  FilterState& state = *cycle.state<spread::State>(index())->filter;
  if (pod.ns() != cycle.pod().ns() || !cycle.nodes().has_node[node.index]) return Status::Success();
  if (!HasAllKeys(state.constraints, node)) return Status::Success();
  for (HardConstraint& hard : state.constraints) {
    if (!hard.constraint.selector.Matches(pod.labels())) continue;
    if (!state.inclusion.Includes(hard.constraint, node)) continue;
    if (!hard.tried) hard.tried = hard.pods->counts();
    hard.tried->Change(hard.topology->domain(node), delta);
  }
  return Status::Success();
}

}  // namespace berth::plugins
