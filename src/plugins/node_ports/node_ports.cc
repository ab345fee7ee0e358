// SPDX-License-Identifier: Apache-2.0
#include "plugins/node_ports/node_ports.h"

#include <algorithm>

#include "plugins/helpers/hints.h"

namespace berth::plugins {

namespace action = framework::action;
using framework::EventResource;

namespace {

constexpr std::string_view kAnyAddress = "0.0.0.0";

bool AnyConflict(const std::vector<api::HostPort>& wanted, const std::vector<cluster::UsedPort>& used) {
  for (const cluster::UsedPort& taken : used) {
    for (const api::HostPort& port : wanted) {
      if (PortsConflict(port, taken)) return true;
    }
  }
  return false;
}

bool WantsPortOf(const cluster::PodInfo& pod, const cluster::PodInfo& other) {
  return std::ranges::any_of(other.pod_template->host_ports, [&](const api::HostPort& port) {
    const cluster::UsedPort used{.ip = port.ip, .protocol = port.protocol, .port = port.port};
    return std::ranges::any_of(pod.pod_template->host_ports,
                               [&](const api::HostPort& wanted) { return PortsConflict(wanted, used); });
  });
}

}  // namespace

bool PortsConflict(const api::HostPort& wanted, const cluster::UsedPort& used) {
  return wanted.port == used.port && wanted.protocol == used.protocol &&
         (wanted.ip == kAnyAddress || used.ip == kAnyAddress || wanted.ip == used.ip);
}

framework::PreFilterResult NodePorts::PreFilter(framework::Cycle& cycle) const {
  if (cycle.pod().pod_template->host_ports.empty()) return {.status = framework::Status::Skip()};
  return {};
}

void NodePorts::Filter(framework::Cycle& cycle, framework::Candidates& candidates) const {
  const std::vector<api::HostPort>& wanted = cycle.pod().pod_template->host_ports;
  const cluster::CopyOnWriteRows<cluster::NodePods>& pods = cycle.nodes().pods;
  candidates.RejectIf(framework::StatusCode::kUnschedulable, kReason,
                      [&](cluster::NodeSlot slot) { return AnyConflict(wanted, pods[slot.index].used_ports); });
}

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
