// SPDX-License-Identifier: Apache-2.0
#include "plugins/helpers/hints.h"
#include "plugins/node_declared_features/node_declared_features.h"

namespace berth::plugins {

namespace action = framework::action;
using framework::EventResource;

std::vector<framework::EventRegistration> NodeDeclaredFeatures::EventsToRegister() const {
  if (!enabled_) return {};
  return {
      {.event = {EventResource::kNode, action::kAdd | action::kUpdateNodeDeclaredFeature}, .has_hint = true},
      {.event = {EventResource::kTargetPod, action::kUpdate}, .has_hint = true},
  };
}

Result<framework::QueueingHint> NodeDeclaredFeatures::Hint(const cluster::PodInfo&, const framework::Change& change,
                                                           const cluster::Cluster&) const {
  if (const auto* pod = change.after<cluster::PodInfo>()) {
    return QueueIf(RequiredNodeFeatures(pod->spec()) != RequiredNodeFeatures(change.before<cluster::PodInfo>()->spec()));
  }
  const auto* before = change.before<api::Node>();
  return QueueIf(before == nullptr || before->declared_features != change.after<api::Node>()->declared_features);
}

}  // namespace berth::plugins
