// SPDX-License-Identifier: Apache-2.0
#include "server/nodes/node_status.h"

namespace berth::server {
namespace {

Json Condition(std::string_view type, std::string_view status, std::string_view reason, std::string_view message,
               const std::string& now) {
  return Json{{"type", Json::String(type)},
              {"status", Json::String(status)},
              {"reason", Json::String(reason)},
              {"message", Json::String(message)},
              {"lastHeartbeatTime", Json::String(now)},
              {"lastTransitionTime", Json::String(now)}};
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

Json SimulatedNodeInfo(std::string_view name) {
  return Json{{"architecture", Json::String("amd64")},
              {"bootID", Json::String(name)},
              {"containerRuntimeVersion", Json::String("berth://simulated")},
              {"kernelVersion", Json::String("simulated")},
              {"kubeProxyVersion", Json::String("")},
              {"kubeletVersion", Json::String("v1.37.1")},
              {"machineID", Json::String(name)},
              {"operatingSystem", Json::String("linux")},
              {"osImage", Json::String("Berth simulated node")},
              {"systemUUID", Json::String(name)}};
}

}  // namespace berth::server
