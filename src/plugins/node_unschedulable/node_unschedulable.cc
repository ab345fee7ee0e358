// SPDX-License-Identifier: Apache-2.0
#include "plugins/node_unschedulable/node_unschedulable.h"

#include "plugins/helpers/hints.h"

namespace berth::plugins {

namespace action = framework::action;
using framework::EventResource;

namespace {

const api::Taint kCordonTaint = {.key = "node.kubernetes.io/unschedulable", .value = {}, .effect = "NoSchedule"};

}  // namespace

Result<std::unique_ptr<framework::Plugin>> NodeUnschedulable::Create(const framework::PluginContext& context) {
  return std::make_unique<NodeUnschedulable>(
      context.gates.Enabled(framework::Gate::kTaintTolerationComparisonOperators));
}

bool NodeUnschedulable::ToleratesCordon(const cluster::PodInfo& pod) const {
  return api::Tolerates(pod.spec().tolerations, kCordonTaint, comparison_operators_);
}

void NodeUnschedulable::Filter(framework::Cycle& cycle, framework::Candidates& candidates) const {
  const cluster::NodeTable& nodes = cycle.nodes();
  if (nodes.unschedulable_count() == 0) return;
  if (ToleratesCordon(cycle.pod())) return;
  candidates.RejectIf(framework::StatusCode::kUnschedulableAndUnresolvable, kReason,
                      [&](cluster::NodeSlot slot) { return nodes.unschedulable[slot.index] != 0; });
}

std::vector<framework::EventRegistration> NodeUnschedulable::EventsToRegister() const {
  return {
      {.event = {EventResource::kNode, action::kAdd | action::kUpdateNodeTaint}, .has_hint = true},
      {.event = {EventResource::kTargetPod, action::kUpdatePodToleration}, .has_hint = true},
  };
}

Result<framework::QueueingHint> NodeUnschedulable::Hint(const cluster::PodInfo&, const framework::Change& change,
                                                        const cluster::Cluster&) const {
  if (const auto* pod = change.after<cluster::PodInfo>()) return QueueIf(ToleratesCordon(*pod));
  const auto* before = change.before<api::Node>();
  return QueueIf((before == nullptr || before->unschedulable) && !change.after<api::Node>()->unschedulable);
}

}  // namespace berth::plugins
