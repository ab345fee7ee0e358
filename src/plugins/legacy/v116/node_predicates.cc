// SPDX-License-Identifier: Apache-2.0
#include "plugins/legacy/v116/node_predicates.h"

#include <algorithm>

#include "plugins/helpers/node_memo.h"
#include "plugins/helpers/taint_match.h"

namespace berth::plugins::legacy::v116 {
namespace {

using cluster::NodeSlot;
using framework::StatusCode;

constexpr StatusCode kUnresolvable = StatusCode::kUnschedulableAndUnresolvable;

}  // namespace

void CheckNodeUnschedulable::Filter(framework::Cycle& cycle, framework::Candidates& candidates) const {
  const cluster::NodeTable& nodes = cycle.nodes();
  if (nodes.unschedulable_count() == 0) return;
  const api::Taint cordon{.key = "node.kubernetes.io/unschedulable", .value = "", .effect = "NoSchedule"};
  if (api::Tolerates(cycle.pod().spec().tolerations, cordon, false)) return;
  candidates.RejectIf(kUnresolvable, kReason, [&](NodeSlot slot) { return nodes.unschedulable[slot.index] != 0; });
}

void PodToleratesNodeTaints::Filter(framework::Cycle& cycle, framework::Candidates& candidates) const {
  const TaintMatch match(cycle.pod().spec().tolerations, false, cycle.nodes());
  if (match.tolerates_all()) return;
  candidates.RejectIf(kUnresolvable, kReason, [&](NodeSlot slot) { return !match.Tolerates(slot); });
}

Result<std::unique_ptr<framework::Plugin>> CheckNodeLabelPresence::Create(const framework::PluginContext& context) {
  const auto* args = context.args.As<Args>();
  if (args == nullptr) return Invalid("label arguments are needed");
  return std::make_unique<CheckNodeLabelPresence>(context.name, args->present_labels, args->absent_labels);
}

void CheckNodeLabelPresence::Filter(framework::Cycle& cycle, framework::Candidates& candidates) const {
  const auto is_hostname = [](const std::string& label) { return label == cluster::kHostnameLabel; };
  NodeMemo<bool> rejected(cycle.nodes(),
                          std::ranges::any_of(present_, is_hostname) || std::ranges::any_of(absent_, is_hostname));
  candidates.RejectIf(kUnresolvable, kReason, [&](NodeSlot slot) {
    return rejected.Get(slot, [&](const api::Labels& labels, std::string_view) {
      const auto on_node = [&](const std::string& label) { return labels.Has(label); };
      return !std::ranges::all_of(present_, on_node) || std::ranges::any_of(absent_, on_node);
    });
  });
}

}  // namespace berth::plugins::legacy::v116
