// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "plugins/helpers/hints.h"
#include "plugins/pod_topology_spread/pod_topology_spread.h"

namespace berth::plugins {

namespace action = framework::action;
using cluster::PodInfo;
using framework::EventResource;

namespace {

using Constraints = std::vector<spread::Constraint>;

bool HasAllKeys(const Constraints& constraints, const api::Node& node) {
  return std::ranges::all_of(
      constraints, [&](const spread::Constraint& constraint) { return node.meta.labels.Has(constraint.topology_key); });
}

bool ChangesDomain(const Constraints& constraints, const api::Node& before, const api::Node& after) {
  return std::ranges::any_of(constraints, [&](const spread::Constraint& constraint) {
    return before.meta.labels.Get(constraint.topology_key) != after.meta.labels.Get(constraint.topology_key);
  });
}

bool NodeMayHelp(const Constraints& constraints, const api::Node* before, const api::Node* after) {
  if (before == nullptr) return HasAllKeys(constraints, *after);
  if (after == nullptr) return HasAllKeys(constraints, *before);
  if (HasAllKeys(constraints, *before) != HasAllKeys(constraints, *after)) return true;
  return HasAllKeys(constraints, *after) &&
         (ChangesDomain(constraints, *before, *after) || before->taints != after->taints);
}

// Whether a constraint counts the pod before and not after the change of its labels, or the other way round.
bool ChangesCount(const Constraints& constraints, const PodInfo& before, const PodInfo& after) {
  return std::ranges::any_of(constraints, [&](const spread::Constraint& constraint) {
    return constraint.selector.Matches(before.labels()) != constraint.selector.Matches(after.labels());
  });
}

bool IsCounted(const Constraints& constraints, const PodInfo& pod) {
  return std::ranges::any_of(
      constraints, [&](const spread::Constraint& constraint) { return constraint.selector.Matches(pod.labels()); });
}

bool AssignedPodMayHelp(const Constraints& constraints, const PodInfo* before, const PodInfo* after) {
  if (before != nullptr && after != nullptr) return ChangesCount(constraints, *before, *after);
  return IsCounted(constraints, after != nullptr ? *after : *before);
}

bool OwnUpdateMayHelp(const Constraints& constraints, const PodInfo& before, const PodInfo& after) {
  const bool heeds_taints = std::ranges::any_of(constraints, &spread::Constraint::honor_taints);
  if (heeds_taints && before.spec().tolerations != after.spec().tolerations) return true;
  return ChangesCount(constraints, before, after);
}

}  // namespace

std::vector<framework::EventRegistration> PodTopologySpread::EventsToRegister() const {
  return {
      {.event = {EventResource::kAssignedPod, action::kAdd | action::kUpdatePodLabel | action::kDelete},
       .has_hint = true},
      {.event = {EventResource::kTargetPod, action::kUpdatePodToleration | action::kUpdatePodLabel}, .has_hint = true},
      {.event = {EventResource::kNode,
                 action::kAdd | action::kDelete | action::kUpdateNodeLabel | action::kUpdateNodeTaint},
       .has_hint = true},
  };
}

Result<framework::QueueingHint> PodTopologySpread::Hint(const PodInfo& pod, const framework::Change& change,
                                                        const cluster::Cluster& cluster) const {
  const auto* before = change.before<PodInfo>();
  const auto* after = change.after<PodInfo>();
  if (change.event.resource == EventResource::kAssignedPod) {
    const auto counts = [&](const PodInfo* other) {
      return other == nullptr || (TakesRoom(*other) && other->ns() == pod.ns());
    };
    if (!counts(before) || !counts(after)) return QueueIf(false);
  }
  const Constraints constraints =
      BERTH_TRY(spread::BuildConstraints(pod, cluster.objects, options_, spread::Kind::kHard));
  switch (change.event.resource) {
    case EventResource::kAssignedPod: return QueueIf(AssignedPodMayHelp(constraints, before, after));
    case EventResource::kTargetPod: return QueueIf(OwnUpdateMayHelp(constraints, *before, *after));
    default: return QueueIf(NodeMayHelp(constraints, change.before<api::Node>(), change.after<api::Node>()));
  }
}

}  // namespace berth::plugins
