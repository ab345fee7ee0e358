// SPDX-License-Identifier: Apache-2.0
// The traits of nodes by which PodTopologySpread judges them: for each constraint the domain of the node, or, where
// every node is a domain of its own, its pods.

#include "plugins/helpers/topology_traits.h"
#include "plugins/pod_topology_spread/pod_topology_spread.h"
#include "plugins/pod_topology_spread/state.h"

namespace berth::plugins {

bool PodTopologySpread::AppendSources(framework::Cycle& cycle, Sources& sources) const {
  if (!MakeScoreState(cycle)) return false;
  const auto* state = cycle.state<spread::State>(index());
  if (state == nullptr) return true;
  const auto append = [&](const spread::TopologyPtr& topology, const spread::CounterPtr& counter) {
    sources.push_back(counter);
    return AppendTopologySource(topology, sources);
  };
  if (state->filter) {
    for (const spread::HardConstraint& hard : state->filter->constraints) {
      if (!append(hard.topology, hard.pods->question().counter)) return false;
    }
  }
  if (!state->score) return true;
  for (const spread::SoftConstraint& soft : state->score->constraints) {
    if (!append(soft.topology, soft.counter) && !soft.per_node) return false;
  }
  return true;
}

void PodTopologySpread::AppendTraits(const framework::Cycle& cycle, cluster::NodeSlot node, Traits& traits) const {
  const auto* state = cycle.state<spread::State>(index());
  if (state == nullptr) return;
  if (state->filter) {
    for (const spread::HardConstraint& hard : state->filter->constraints) {
      const auto pods = [&] { return hard.domains().count(hard.topology->domain(node)); };
      AppendTopologyTrait(*hard.topology, node, pods, traits);
    }
  }
  if (!state->score) return;
  for (const spread::SoftConstraint& soft : state->score->constraints) {
    if (!soft.per_node) {
      AppendTopologyTrait(*soft.topology, node, [&] { return soft.PodsOf(node); }, traits);
      continue;
    }
    // By its own pods, whoever has the same host name.
    const bool has_key = soft.topology->domain(node) != cluster::kNoDomain;
    traits.push_back(has_key ? 1 : 0);
    traits.push_back(has_key ? static_cast<uint64_t>(soft.PodsOf(node)) : 0);
  }
}

}  // namespace berth::plugins
