// SPDX-License-Identifier: Apache-2.0
#include "plugins/scheduling_gates/scheduling_gates.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace berth::plugins {

namespace action = framework::action;
using framework::EventResource;

framework::Status SchedulingGates::PreEnqueue(const cluster::PodInfo& pod, const cluster::Cluster&) const {
  const std::vector<std::string>& gates = pod.spec().scheduling_gates;
  if (gates.empty()) return framework::Status::Success();
  return framework::Status::Unresolvable(fmt::format("waiting for scheduling gates: [{}]", fmt::join(gates, " ")));
}

std::vector<framework::EventRegistration> SchedulingGates::EventsToRegister() const {
  return {{.event = {EventResource::kTargetPod, action::kUpdatePodSchedulingGatesEliminated}, .has_hint = true}};
}

}  // namespace berth::plugins
