// SPDX-License-Identifier: Apache-2.0
// The traits of nodes by which InterPodAffinity judges them: for each topology key the domain of the node, or, where
// every node is a domain of its own, its sum.

#include "plugins/helpers/topology_traits.h"
#include "plugins/inter_pod_affinity/inter_pod_affinity.h"
#include "plugins/inter_pod_affinity/state.h"

namespace berth::plugins {
namespace {

using interpod::TopologySums;

template <class Visit>
void ForEachKey(const interpod::State& state, Visit visit) {
  const auto visit_all = [&](const TopologySums& sums) {
    for (const TopologySums::Key& key : sums.keys()) visit(key);
  };
  if (state.filter) {
    visit_all(state.filter->affinity);
    visit_all(state.filter->anti_affinity);
    visit_all(state.filter->existing);
  }
  if (state.score) visit_all(*state.score);
}

}  // namespace

bool InterPodAffinity::AppendSources(framework::Cycle& cycle, Sources& sources) const {
  const framework::Status status = PreScore(cycle, {});
  if (!status.ok() && !status.is_skip()) return false;
  const auto* state = cycle.state<interpod::State>(index());
  if (state == nullptr) return true;
  bool is_possible = true;
  ForEachKey(*state, [&](const TopologySums::Key& key) {
    is_possible = is_possible && AppendTopologySource(key.shared_topology(), sources);
    if (key.is_per_node()) {
      key.ForEachSource([&](const std::shared_ptr<const cluster::Counts>& counts) { sources.push_back(counts); });
    }
  });
  return is_possible;
}

void InterPodAffinity::AppendTraits(const framework::Cycle& cycle, framework::NodeSlot node, Traits& traits) const {
  const auto* state = cycle.state<interpod::State>(index());
  if (state == nullptr) return;
  ForEachKey(*state, [&](const TopologySums::Key& key) {
    AppendTopologyTrait(key.topology(), node, [&] { return key.Of(node); }, traits);
  });
}

}  // namespace berth::plugins
