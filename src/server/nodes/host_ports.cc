// SPDX-License-Identifier: Apache-2.0
#include "server/nodes/host_ports.h"

#include <algorithm>
#include <string_view>

#include "server/kinds/pods/restart_policy.h"

namespace berth::server {
namespace {

constexpr std::string_view kEverywhere = "0.0.0.0";

void AddPorts(const Json& container, std::vector<HostPort>& ports) {
  for (const Json& port : container["ports"].items()) {
    const int64_t number = port["hostPort"].IntOr(0);
    if (number <= 0) continue;
    const std::string& ip = port["hostIP"].text();
    const std::string& protocol = port["protocol"].text();
    ports.push_back({.ip = ip.empty() ? std::string(kEverywhere) : ip,
                     .protocol = protocol.empty() ? "TCP" : protocol,
                     .port = number});
  }
}

bool Overlap(const HostPort& left, const HostPort& right) {
  if (left.port != right.port || left.protocol != right.protocol) return false;
  return left.ip == right.ip || left.ip == kEverywhere || right.ip == kEverywhere;
}

}  // namespace

std::vector<HostPort> HostPortsOf(const Json& pod) {
  std::vector<HostPort> ports;
  for (const Json& container : pod["spec"]["containers"].items()) AddPorts(container, ports);
  for (const Json& container : pod["spec"]["initContainers"].items()) {
    if (IsSidecar(container)) AddPorts(container, ports);
  }
  return ports;
}

bool DoClash(const std::vector<HostPort>& left, const std::vector<HostPort>& right) {
  return std::ranges::any_of(left, [&](const HostPort& port) {
    return std::ranges::any_of(right, [&](const HostPort& other) { return Overlap(port, other); });
  });
}

}  // namespace berth::server
