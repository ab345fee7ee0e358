// SPDX-License-Identifier: Apache-2.0
#include <set>

#include "server/tables/cells.h"
#include "server/tables/printer.h"

namespace berth::server {
namespace {

constexpr std::string_view kRolePrefix = "node-role.kubernetes.io/";
constexpr std::string_view kRoleLabel = "kubernetes.io/role";

std::string Status(const Json& node) {
  std::string status = "Unknown";
  // Of several conditions of one type the last counts.
  for (const Json& condition : node["status"]["conditions"].items()) {
    if (condition["type"].text() == "Ready") status = condition["status"].text() == "True" ? "Ready" : "NotReady";
  }
  if (node["spec"]["unschedulable"].AsBool()) status += ",SchedulingDisabled";
  return status;
}

std::string Roles(const Json& labels) {
  std::set<std::string> roles;
  for (const auto& [key, value] : labels.members()) {
    if (key.starts_with(kRolePrefix)) {
      if (key.size() > kRolePrefix.size()) roles.insert(key.substr(kRolePrefix.size()));
    } else if (key == kRoleLabel && !value.text().empty()) {
      roles.insert(value.text());
    }
  }
  return roles.empty() ? "<none>" : Join({roles.begin(), roles.end()});
}

std::string Address(const Json& node, std::string_view type) {
  const Json& address = FindCondition(node["status"]["addresses"], type);
  return address.is_null() ? "<none>" : address["address"].text();
}

Json::List NodeCells(const Json& node, Time now) {
  const Json& info = node["status"]["nodeInfo"];
  std::string kernel = TextOr(info["kernelVersion"], "<unknown>");
  if (const std::string& architecture = info["architecture"].text(); !architecture.empty()) {
    kernel += " (" + architecture + ")";
  }
  return Row(Name(node), Status(node), Roles(node["metadata"]["labels"]), Age(node, now), info["kubeletVersion"],
             Address(node, "InternalIP"), Address(node, "ExternalIP"), TextOr(info["osImage"], "<unknown>"), kernel,
             TextOr(info["containerRuntimeVersion"], "<unknown>"));
}

}  // namespace

std::span<const Printer> NodePrinters() {
  static const std::vector<Printer> kPrinters = {
      {"",
       "nodes",
       {kNameColumn,
        {"Status"},
        {"Roles"},
        kAgeColumn,
        {"Version"},
        {"Internal-IP", "string", 1},
        {"External-IP", "string", 1},
        {"OS-Image", "string", 1},
        {"Kernel-Version", "string", 1},
        {"Container-Runtime", "string", 1}},
       NodeCells},
  };
  return kPrinters;
}

}  // namespace berth::server
