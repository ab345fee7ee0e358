// SPDX-License-Identifier: Apache-2.0
#include "plugins/helpers/hints.h"
#include "plugins/node_unschedulable/node_unschedulable.h"

namespace berth::plugins {

namespace action = framework::action;
using framework::EventResource;

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
