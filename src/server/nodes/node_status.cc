// SPDX-License-Identifier: Apache-2.0
#include "server/nodes/node_status.h"

#include <algorithm>

#include "api/parts/selector.h"
#include "server/model/find_condition.h"

namespace berth::server {
namespace {

constexpr std::string_view kOperatingSystem = "linux";
constexpr std::string_view kArchitecture = "amd64";
constexpr std::string_view kInternalIp = "InternalIP";
constexpr std::string_view kHostname = "Hostname";

Json Condition(std::string_view type, std::string_view status, std::string_view reason, std::string_view message,
               const std::string& now) {
  return Json{{"type", Json::String(type)},
              {"status", Json::String(status)},
              {"reason", Json::String(reason)},
              {"message", Json::String(message)},
              {"lastHeartbeatTime", Json::String(now)},
              {"lastTransitionTime", Json::String(now)}};
}

Json SimulatedNodeInfo(std::string_view name) {
  return Json{{"architecture", Json::String(kArchitecture)},
              {"bootID", Json::String(name)},
              {"containerRuntimeVersion", Json::String("berth://simulated")},
              {"kernelVersion", Json::String("simulated")},
              {"kubeProxyVersion", Json::String("")},
              {"kubeletVersion", Json::String("v1.37.1")},
              {"machineID", Json::String(name)},
              {"operatingSystem", Json::String(kOperatingSystem)},
              {"osImage", Json::String("Berth simulated node")},
              {"systemUUID", Json::String(name)}};
}

const Json& AddressOf(const Json& status, std::string_view type) {
  static const Json kNone;
  const Json::List& all = status["addresses"].items();
  const auto found = std::ranges::find_if(all, [&](const Json& address) { return address["type"].text() == type; });
  return found == all.end() ? kNone : (*found)["address"];
}

void AddAddress(Json& status, std::string_view type, std::string_view address) {
  if (address.empty() || !AddressOf(status, type).is_null()) return;
  status.Make("addresses").Append(Json{{"type", Json::String(type)}, {"address", Json::String(address)}});
}

}  // namespace

Json ReadyConditions(Time now) {
  const std::string when = FormatTime(now);
  return Json::MakeList(
      {Condition("MemoryPressure", "False", "KubeletHasSufficientMemory", "kubelet has sufficient memory available",
                 when),
       Condition("DiskPressure", "False", "KubeletHasNoDiskPressure", "kubelet has no disk pressure", when),
       Condition("PIDPressure", "False", "KubeletHasSufficientPID", "kubelet has sufficient PID available", when),
       Condition("Ready", "True", "KubeletReady", "kubelet is posting ready status", when)});
}

Json DefaultResources() {
  return Json{{"cpu", Json::String("8")},
              {"ephemeral-storage", Json::String("100Gi")},
              {"memory", Json::String("32Gi")},
              {"pods", Json::String("110")}};
}

void AddNodeLabels(Json& labels, std::string_view name) {
  if (api::ValidateLabelValue(name).empty()) labels.SetDefault("kubernetes.io/hostname", Json::String(name));
  for (const std::string_view key : {"kubernetes.io/os", "beta.kubernetes.io/os"}) {
    labels.SetDefault(key, Json::String(kOperatingSystem));
  }
  for (const std::string_view key : {"kubernetes.io/arch", "beta.kubernetes.io/arch"}) {
    labels.SetDefault(key, Json::String(kArchitecture));
  }
}

bool IsComplete(const Json& status) {
  const bool offers_all = std::ranges::all_of(status["capacity"].members(), [&](const Json::Member& resource) {
    return status["allocatable"].Has(resource.name);
  });
  return !FindCondition(status["conditions"], "Ready").is_null() && !status["allocatable"].empty() && offers_all &&
         !status["capacity"].empty() && !AddressOf(status, kInternalIp).is_null() &&
         !AddressOf(status, kHostname).is_null() && !status["nodeInfo"]["kubeletVersion"].text().empty();
}

void CompleteStatus(Json& status, std::string_view name, std::string_view address, Time now) {
  if (FindCondition(status["conditions"], "Ready").is_null()) status.Set("conditions", ReadyConditions(now));
  if (status["capacity"].empty()) {
    status.Set("capacity", status["allocatable"].empty() ? DefaultResources() : Json(status["allocatable"]));
  }
  const Json capacity = status["capacity"];
  Json& offered = status.Make("allocatable");
  for (const Json::Member& resource : capacity.members()) offered.SetDefault(resource.name, resource.value);
  AddAddress(status, kInternalIp, address);
  AddAddress(status, kHostname, name);
  if (status["nodeInfo"]["kubeletVersion"].text().empty()) status.Set("nodeInfo", SimulatedNodeInfo(name));
  if (status["daemonEndpoints"].empty()) {
    status.Set("daemonEndpoints", Json{{"kubeletEndpoint", Json{{"Port", Json::Int(0)}}}});
  }
}

const std::string& HostAddressOf(const Json& status) { return AddressOf(status, kInternalIp).text(); }

}  // namespace berth::server
