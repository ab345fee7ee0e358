// SPDX-License-Identifier: Apache-2.0
#include "sim/protocol/cluster_checks.h"

#include <fmt/format.h>

#include <map>

#include "sim/protocol/cluster_life.h"

namespace berth::sim {

std::string ClusterChecks::CheckWrite(const server::Change& change) const {
  const std::string_view kind = change.object->resource().kind;
  if (kind == "Pod") return CheckNode(change.object->Field("spec.nodeName"));
  if (kind == "PersistentVolumeClaim") return CheckVolumes();
  return kind == "ResourceClaim" ? CheckDevices() : "";
}

std::string ClusterChecks::CheckSender(const std::string& name, const net::Request& request) const {
  if (!request.target.ends_with("/binding")) return "";
  const server::ObjectPtr lease = cluster_.Find("Lease", "kube-system/kube-scheduler");
  if (lease != nullptr && (*lease->tree())["spec"]["holderIdentity"].text() == name) return "";
  return fmt::format("{} binds without the lease: {}", name, request.target);
}

std::string ClusterChecks::CheckBinding(const server::StoredObject& pod, std::string_view node) const {
  const std::string_view bound = pod.Field("spec.nodeName");
  if (bound.empty() || bound == node) return "";
  return fmt::format("pod {} is to be bound to {}, but is on {}", pod.name(), node, bound);
}

std::string ClusterChecks::CheckNode(std::string_view node) const {
  if (node.empty()) return "";
  int64_t cpu = 0;
  int64_t pods = 0;
  for (const auto& [key, pod] : cluster_.All("Pod")) {
    if (!IsWatched(*pod) || pod->Field("spec.nodeName") != node) continue;
    cpu += ClusterLife::MilliCpuOf(*pod);
    ++pods;
  }
  if (cpu <= ClusterLife::MilliCpuOf(node) && pods <= ClusterLife::PodsOf(node)) return "";
  return fmt::format("node {} is overcommitted: {}m cpu, {} pods", node, cpu, pods);
}

std::string ClusterChecks::CheckVolumes() const {
  std::map<std::string, std::string> owners;
  for (const auto& [key, claim] : cluster_.All("PersistentVolumeClaim")) {
    const std::string volume = (*claim->tree())["spec"]["volumeName"].text();
    if (!volume.empty() && !owners.emplace(volume, key).second)
      return fmt::format("volume {} has two claims: {} and {}", volume, owners[volume], key);
  }
  return "";
}

std::string ClusterChecks::CheckDevices() const {
  std::map<std::string, std::string> owners;
  for (const auto& [key, claim] : cluster_.All("ResourceClaim")) {
    const server::TreePtr tree = claim->tree();
    for (const server::Json& result : (*tree)["status"]["allocation"]["devices"]["results"].items()) {
      const std::string device = fmt::format("{}/{}", result["pool"].text(), result["device"].text());
      if (!owners.emplace(device, key).second)
        return fmt::format("device {} is given to the claims {} and {}", device, owners[device], key);
    }
  }
  return "";
}

}  // namespace berth::sim
