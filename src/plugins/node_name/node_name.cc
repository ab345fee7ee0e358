// SPDX-License-Identifier: Apache-2.0
#include "plugins/node_name/node_name.h"

namespace berth::plugins {

namespace action = framework::action;
using framework::EventResource;
using framework::StatusCode;

framework::PreFilterResult NodeName::PreFilter(framework::Cycle& cycle) const {
  const std::string& wanted = cycle.pod().node_name;
  if (wanted.empty()) return {};
  return {.status = {}, .node_names = std::vector{wanted}};
}

void NodeName::Filter(framework::Cycle& cycle, framework::Candidates& candidates) const {
  const std::string& wanted = cycle.pod().node_name;
  if (wanted.empty()) return;
  const std::vector<std::string>& names = cycle.nodes().name;
  candidates.RejectIf(StatusCode::kUnschedulableAndUnresolvable, kReason,
                      [&](cluster::NodeSlot slot) { return names[slot.index] != wanted; });
}

std::vector<framework::EventRegistration> NodeName::EventsToRegister() const {
  return {{.event = {EventResource::kNode, action::kAdd}}};
}

}  // namespace berth::plugins
