// SPDX-License-Identifier: Apache-2.0
#include "plugins/node_ports/node_ports.h"

namespace berth::plugins {
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

}  // namespace

bool PortsConflict(const api::HostPort& wanted, const cluster::UsedPort& used) {
  return wanted.port == used.port && wanted.protocol == used.protocol &&
         (wanted.ip == kAnyAddress || used.ip == kAnyAddress || wanted.ip == used.ip);
}

Result<std::unique_ptr<framework::Plugin>> NodePorts::Create(const framework::PluginContext&) {
  return std::make_unique<NodePorts>();
}

framework::PreFilterResult NodePorts::PreFilter(framework::Cycle& cycle) const {
  if (cycle.pod().pod_template->host_ports.empty()) return {.status = framework::Status::Skip()};
  return {};
}

void NodePorts::Filter(framework::Cycle& cycle, framework::Candidates& candidates) const {
  const std::vector<api::HostPort>& wanted = cycle.pod().pod_template->host_ports;
  const std::vector<cluster::NodePods>& pods = cycle.nodes().pods;
  candidates.RejectIf(framework::StatusCode::kUnschedulable, kReason,
                      [&](cluster::NodeSlot slot) { return AnyConflict(wanted, pods[slot.index].used_ports); });
}

}  // namespace berth::plugins
