// SPDX-License-Identifier: Apache-2.0
#include "plugins/helpers/hints.h"
#include "plugins/node_affinity/node_affinity.h"

namespace berth::plugins {

namespace action = framework::action;
using framework::EventResource;

std::vector<framework::EventRegistration> NodeAffinity::EventsToRegister() const {
  return {{.event = {EventResource::kNode, action::kAdd | action::kUpdateNodeLabel}, .has_hint = true}};
}

Result<framework::QueueingHint> NodeAffinity::Hint(const cluster::PodInfo& pod, const framework::Change& change,
                                                   const cluster::Cluster&) const {
  const auto* before = change.before<api::Node>();
  const auto* after = change.after<api::Node>();
  if (added_required_ && !added_required_->Matches(after->meta.labels, after->meta.name)) return QueueIf(false);
  const RequiredNodeAffinity required(pod.spec());
  if (!BERTH_TRY(required.Match(after->meta.labels, after->meta.name))) return QueueIf(false);
  if (before == nullptr) return QueueIf(true);
  return QueueIf(!BERTH_TRY(required.Match(before->meta.labels, before->meta.name)));
}

}  // namespace berth::plugins
