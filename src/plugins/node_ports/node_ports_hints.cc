// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "plugins/helpers/hints.h"
#include "plugins/node_ports/node_ports.h"

namespace berth::plugins {

namespace action = framework::action;
using framework::EventResource;

namespace {

bool WantsPortOf(const cluster::PodInfo& pod, const cluster::PodInfo& other) {
  return std::ranges::any_of(other.pod_template->host_ports, [&](const api::HostPort& port) {
    const cluster::UsedPort used{.ip = port.ip, .protocol = port.protocol, .port = port.port};
    return std::ranges::any_of(pod.pod_template->host_ports,
                               [&](const api::HostPort& wanted) { return PortsConflict(wanted, used); });
  });
}

}  // namespace

std::vector<framework::EventRegistration> NodePorts::EventsToRegister() const {
  return {
      {.event = {EventResource::kAssignedPod, action::kDelete}, .has_hint = true},
      {.event = {EventResource::kNode, action::kAdd}},
  };
}

Result<framework::QueueingHint> NodePorts::Hint(const cluster::PodInfo& pod, const framework::Change& change,
                                                const cluster::Cluster&) const {
  const auto* deleted = change.before<cluster::PodInfo>();
  return QueueIf(TakesRoom(*deleted) && WantsPortOf(pod, *deleted));
}

}  // namespace berth::plugins
