// SPDX-License-Identifier: Apache-2.0
#include "plugins/node_unschedulable/node_unschedulable.h"

namespace berth::plugins {
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

}  // namespace berth::plugins
