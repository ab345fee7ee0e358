// SPDX-License-Identifier: Apache-2.0
#include "plugins/scheduling_gates/scheduling_gates.h"

namespace berth::plugins {

namespace action = framework::action;
using framework::EventResource;

std::vector<framework::EventRegistration> SchedulingGates::EventsToRegister() const {
  return {{.event = {EventResource::kTargetPod, action::kUpdatePodSchedulingGatesEliminated}, .has_hint = true}};
}

}  // namespace berth::plugins
