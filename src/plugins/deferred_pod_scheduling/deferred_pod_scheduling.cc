// SPDX-License-Identifier: Apache-2.0
#include "plugins/deferred_pod_scheduling/deferred_pod_scheduling.h"

#include "plugins/helpers/hints.h"

namespace berth::plugins {

namespace action = framework::action;
using framework::EventResource;
using framework::Status;

namespace {

bool Objects(const api::Node& node) { return !node.disable_resize_preemption.empty(); }

}  // namespace

framework::PreFilterResult DeferredPodScheduling::PreFilter(framework::Cycle& cycle) const {
  return {cycle.pod().awaits_resize ? Status::Success() : Status::Skip()};
}

Status DeferredPodScheduling::FilterNode(framework::Cycle& cycle, framework::NodeSlot node) const {
  const cluster::PodInfo& pod = cycle.pod();
  if (!pod.awaits_resize) return Status::Success();
  if (!pod.node_name.empty() && pod.node_name != cycle.nodes().name[node.index]) {
    return Status::Unresolvable("pod assigned to different node");
  }
  if (Objects(*cycle.nodes().node[node.index])) return Status::Unresolvable("node had resize preemption disabled");
  return Status::Success();
}

framework::PermitResult DeferredPodScheduling::Permit(framework::Cycle& cycle, framework::NodeSlot) const {
  if (!cycle.pod().awaits_resize) return {Status::Success(), {}};
  return {Status::Unresolvable("pod resize fits, waiting for Kubelet actuation"), {}};
}

std::vector<framework::EventRegistration> DeferredPodScheduling::EventsToRegister() const {
  return {{.event = {EventResource::kNode, action::kUpdateNodePreemptionPolicy}, .has_hint = true},
          {.event = {EventResource::kNode, action::kAdd}, .has_hint = true}};
}

Result<framework::QueueingHint> DeferredPodScheduling::Hint(const cluster::PodInfo& pod,
                                                            const framework::Change& change,
                                                            const cluster::Cluster&) const {
  const auto* before = change.before<api::Node>();
  const auto* after = change.after<api::Node>();
  if (!pod.awaits_resize || after == nullptr || after->meta.name != pod.node_name) return QueueIf(false);
  return QueueIf(!Objects(*after) && (before == nullptr || Objects(*before)));
}

}  // namespace berth::plugins
