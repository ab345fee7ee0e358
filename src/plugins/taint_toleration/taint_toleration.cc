// SPDX-License-Identifier: Apache-2.0
#include "plugins/taint_toleration/taint_toleration.h"

#include <algorithm>

#include "plugins/helpers/hints.h"
#include "plugins/helpers/taint_match.h"

namespace berth::plugins {

namespace action = framework::action;
using framework::EventResource;
using framework::Status;

struct TaintToleration::State : framework::PluginState {
  explicit State(TaintMatch taint_match) : match(std::move(taint_match)) {}
  TaintMatch match;
};

Result<std::unique_ptr<framework::Plugin>> TaintToleration::Create(const framework::PluginContext& context) {
  return std::make_unique<TaintToleration>(context.gates.Enabled(framework::Gate::kTaintTolerationComparisonOperators));
}

TaintToleration::State& TaintToleration::MakeState(framework::Cycle& cycle) const {
  return cycle.MakeState<State>(index(),
                                TaintMatch(cycle.pod().spec().tolerations, comparison_operators_, cycle.nodes()));
}

framework::PreFilterResult TaintToleration::PreFilter(framework::Cycle& cycle) const {
  MakeState(cycle);
  return {};
}

void TaintToleration::Filter(framework::Cycle& cycle, framework::Candidates& candidates) const {
  State* state = cycle.state<State>(index());
  const TaintMatch& match = (state != nullptr ? *state : MakeState(cycle)).match;
  if (match.tolerates_all()) return;
  candidates.RejectIf(framework::StatusCode::kUnschedulableAndUnresolvable, kReason,
                      [&](cluster::NodeSlot slot) { return !match.Tolerates(slot); });
}

int64_t TaintToleration::CountUntoleratedPreferences(const std::vector<api::Toleration>& tolerations,
                                                     const std::vector<api::Taint>& taints) const {
  return std::count_if(taints.begin(), taints.end(), [&](const api::Taint& taint) {
    return taint.effect == "PreferNoSchedule" && !api::Tolerates(tolerations, taint, comparison_operators_);
  });
}

Status TaintToleration::Score(framework::Cycle& cycle, std::span<const cluster::NodeSlot> nodes,
                              framework::Scores& scores) const {
  const cluster::TaintSets& sets = cycle.nodes().taint_sets();
  std::vector<int64_t> counts(sets.id_limit());  // By taint set.
  for (uint32_t id = 0; id < counts.size(); ++id) {
    const std::vector<api::Taint>* taints = sets.value(id);
    if (taints != nullptr) counts[id] = CountUntoleratedPreferences(cycle.pod().spec().tolerations, *taints);
  }
  if (std::all_of(counts.begin(), counts.end(), [](int64_t count) { return count == 0; })) {
    scores.SetUniform(nodes.size(), 0);
    return Status::Success();
  }
  const std::span<int64_t> values = scores.MakeArray(nodes.size());
  for (size_t i = 0; i < nodes.size(); ++i) values[i] = counts[cycle.nodes().taint_set[nodes[i].index]];
  return Status::Success();
}

Status TaintToleration::Normalize(framework::Cycle&, std::span<const cluster::NodeSlot>,
                                  framework::Scores& scores) const {
  framework::NormalizeToMax(scores, true);
  return Status::Success();
}

std::vector<framework::EventRegistration> TaintToleration::EventsToRegister() const {
  return {
      {.event = {EventResource::kNode, action::kAdd | action::kUpdateNodeTaint}, .has_hint = true},
      {.event = {EventResource::kTargetPod, action::kUpdatePodToleration}, .has_hint = true},
  };
}

Result<framework::QueueingHint> TaintToleration::Hint(const cluster::PodInfo& pod, const framework::Change& change,
                                                      const cluster::Cluster&) const {
  if (change.event.resource == EventResource::kTargetPod) return framework::QueueingHint::kQueue;
  const auto tolerates = [&](const api::Node& node) {
    return ToleratesTaints(pod.spec().tolerations, node.taints, comparison_operators_);
  };
  const auto* before = change.before<api::Node>();
  return QueueIf((before == nullptr || !tolerates(*before)) && tolerates(*change.after<api::Node>()));
}

}  // namespace berth::plugins
