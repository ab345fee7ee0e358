// SPDX-License-Identifier: Apache-2.0
#include "plugins/default_preemption/default_preemption.h"

namespace berth::plugins {

namespace action = framework::action;
using framework::EventResource;

std::vector<framework::EventRegistration> DefaultPreemption::EventsToRegister() const {
  if (!async_) return {};
  return {{.event = {EventResource::kAssignedPod, action::kDelete}, .has_hint = true}};
}

// A pod that waits for its victims was rejected by other plugins too; it is for them to say when to try again.
Result<framework::QueueingHint> DefaultPreemption::Hint(const cluster::PodInfo&, const framework::Change&,
                                                        const cluster::Cluster&) const {
  return framework::QueueingHint::kSkip;
}

}  // namespace berth::plugins
