// SPDX-License-Identifier: Apache-2.0

#include <algorithm>

#include "plugins/pod_topology_spread/pod_topology_spread.h"
#include "plugins/pod_topology_spread/state.h"

namespace berth::plugins {
namespace {

using cluster::DomainId;
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

// The slots whose node has all topology keys. Notes which keys are missing somewhere.
std::vector<uint8_t> NodesWithAllKeys(const cluster::NodeTable& nodes, std::vector<HardConstraint>& constraints) {
  std::vector<uint8_t> complete = nodes.has_node;
  for (HardConstraint& hard : constraints) {
    const cluster::TopologyKey& topology = *hard.topology;
    for (uint32_t i = 0; i < complete.size(); ++i) {
      if (topology.domain(NodeSlot{i}) != kNoDomain) continue;
      hard.key_missing |= nodes.has_node[i] != 0;
      complete[i] = 0;
    }
  }
  return complete;
}

// Counts the pods of every domain. Only nodes with all topology keys count, each for the constraints that include it.
void CountDomains(const framework::Cycle& cycle, FilterState& state) {
  const std::vector<uint8_t> complete = NodesWithAllKeys(cycle.nodes(), state.constraints);
  for (HardConstraint& hard : state.constraints) {
    const auto counter = spread::CountPods(hard.constraint, cycle.pod().ns(), cycle.cluster());
    const cluster::TopologyKey& topology = *hard.topology;
    const bool includes_all = state.inclusion.IncludesAll(hard.constraint);
    for (uint32_t i = 0; i < complete.size(); ++i) {
      const NodeSlot slot{i};
      if (!complete[i] || !(includes_all || state.inclusion.Includes(hard.constraint, slot))) continue;
      hard.domains.Include(topology.domain(slot), counter ? counter->count(slot) : 0);
    }
  }
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
  for (Constraint& constraint : *constraints) {
    std::shared_ptr<const cluster::TopologyKey> topology = cycle.nodes().Topology(constraint.topology_key);
    const bool self_match = constraint.selector.Matches(cycle.pod().labels());
    spread::DomainCounts domains(topology->domain_count());
    state.constraints.push_back({std::move(constraint), std::move(topology), std::move(domains), self_match});
  }
  CountDomains(cycle, state);
  return {Status::Success()};
}

void PodTopologySpread::Filter(framework::Cycle& cycle, framework::Candidates& candidates) const {
  FilterState& state = *cycle.state<spread::State>(index())->filter;
  for (HardConstraint& hard : state.constraints) {
    if (hard.key_missing) {
      candidates.RejectIf(StatusCode::kUnschedulableAndUnresolvable, kReasonMissingLabel,
                          [&](NodeSlot slot) { return hard.topology->domain(slot) == kNoDomain; });
    }
    const int64_t limit = hard.Limit();
    // Zones are few and usually even: a look at them spares one at every node.
    if (hard.domains.id_limit() < candidates.nodes().size() && limit >= 0 && !hard.domains.AnyAbove(limit)) continue;
    candidates.RejectIf(StatusCode::kUnschedulable, kReasonSkew,
                        [&](NodeSlot slot) { return hard.domains.count(hard.topology->domain(slot)) > limit; });
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
    hard.domains.Change(hard.topology->domain(node), delta);
  }
  return Status::Success();
}

}  // namespace berth::plugins
