// SPDX-License-Identifier: Apache-2.0
#include "plugins/legacy/selector_spread.h"

#include <algorithm>

#include "cluster/node_order.h"
#include "plugins/helpers/default_selector.h"
#include "plugins/legacy/spreading.h"

namespace berth::plugins::legacy {

using framework::Status;

struct SelectorSpread::State : framework::PluginState {
  std::vector<api::Selector> selectors;  // None: no pod counts.
};

namespace {

bool SpreadsItself(const cluster::PodInfo& pod) { return !pod.spec().topology_spread_constraints.empty(); }

}  // namespace

Result<std::unique_ptr<framework::Plugin>> SelectorSpread::Create(const framework::PluginContext&, Release release) {
  return std::make_unique<SelectorSpread>(release);
}

Status SelectorSpread::PreScore(framework::Cycle& cycle, std::span<const cluster::NodeSlot>) const {
  if (SpreadsItself(cycle.pod())) return Status::Success();
  const cluster::Objects& objects = cycle.cluster().objects;
  State& state = cycle.MakeState<State>(index());
  if (release_ == Release::kV121) {
    state.selectors = SelectorsOf(cycle.pod(), objects);
  } else {
    state.selectors.push_back(DefaultSelector(cycle.pod(), objects));
  }
  std::erase_if(state.selectors, [](const api::Selector& selector) { return selector.empty(); });
  return Status::Success();
}

Status SelectorSpread::Score(framework::Cycle& cycle, std::span<const cluster::NodeSlot> nodes,
                             framework::Scores& scores) const {
  const State* state = cycle.state<State>(index());
  if (SpreadsItself(cycle.pod()) || state->selectors.empty()) {
    scores.SetUniform(nodes.size(), 0);
    return Status::Success();
  }
  std::ranges::copy(CountPods(cycle.cluster(), cycle.pod().ns(), state->selectors, nodes),
                    scores.MakeArray(nodes.size()).begin());
  return Status::Success();
}

Status SelectorSpread::Normalize(framework::Cycle& cycle, std::span<const cluster::NodeSlot> nodes,
                                 framework::Scores& scores) const {
  if (SpreadsItself(cycle.pod())) return Status::Success();
  if (scores.form() == framework::Scores::Form::kUniform) {
    // No pod counts, neither on a node nor in a zone.
    scores.SetUniform(nodes.size(), framework::kMaxNodeScore);
    return Status::Success();
  }
  ScoreBySpread(scores.values(), ZonesOf(cycle.nodes(), nodes, cluster::ZoneKey), framework::kMaxNodeScore);
  return Status::Success();
}

}  // namespace berth::plugins::legacy
