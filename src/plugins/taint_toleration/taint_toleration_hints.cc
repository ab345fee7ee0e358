// SPDX-License-Identifier: Apache-2.0
#include "plugins/helpers/hints.h"
#include "plugins/helpers/taint_match.h"
#include "plugins/taint_toleration/taint_toleration.h"

namespace berth::plugins {

namespace action = framework::action;
using framework::EventResource;

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
