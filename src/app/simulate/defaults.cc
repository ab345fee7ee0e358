// SPDX-License-Identifier: Apache-2.0
#include "app/simulate/defaults.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "api/decode/field_reader.h"
#include "cluster/node_table.h"
#include "cluster/pod_resources.h"

namespace berth::simulate {
namespace {

constexpr std::string_view kDefaultClassAnnotation = "storageclass.kubernetes.io/is-default-class";
constexpr std::string_view kNamespaceNameLabel = "kubernetes.io/metadata.name";
constexpr int32_t kSystemClusterCritical = 2'000'000'000;
constexpr int32_t kSystemNodeCritical = 2'000'001'000;

void RequestsFromLimits(const api::ResourceList& limits, api::ResourceList& requests) {
  for (const auto& [name, limit] : limits) {
    if (requests.Find(name) == nullptr) requests.Set(name, limit);
  }
}

// A limit of the whole pod stands for a request only where no container requests the resource.
void DefaultPodRequests(api::PodSpec& spec) {
  if (!spec.pod_requests || spec.pod_limits.empty()) return;
  const api::ResourceList of_containers = cluster::PodRequests(spec, {}, {.pod_level = false});
  for (const auto& [name, limit] : spec.pod_limits) {
    if (spec.pod_requests->Find(name) != nullptr) continue;
    const api::Quantity* requested = of_containers.Find(name);
    spec.pod_requests->Set(name, requested == nullptr ? limit : *requested);
  }
}

void DefaultRequests(api::PodSpec& spec) {
  for (api::Container& container : spec.init_containers) RequestsFromLimits(container.limits, container.requests);
  for (api::Container& container : spec.containers) RequestsFromLimits(container.limits, container.requests);
  DefaultPodRequests(spec);
}

// Every pod stays a while on a node that fails.
void TolerateFailure(std::string_view key, std::vector<api::Toleration>& tolerations) {
  const bool is_tolerated = std::ranges::any_of(tolerations, [&](const api::Toleration& toleration) {
    return (toleration.key == key || toleration.key.empty()) &&
           (toleration.effect == "NoExecute" || toleration.effect.empty());
  });
  if (is_tolerated) return;
  tolerations.push_back({.key = std::string(key), .op = "Exists", .value = {}, .effect = "NoExecute"});
}

void AddContainerPorts(api::Value containers, std::vector<api::Container>& decoded) {
  for (size_t i = 0; i < decoded.size(); ++i) {
    const api::Value ports = containers[i]["ports"];
    for (size_t p = 0; p < ports.size(); ++p) {
      const int64_t port = ports[p]["containerPort"].AsInt().value_or(0);
      if (ports[p]["hostPort"].AsInt().value_or(0) != 0 || port <= 0 || port > 65535) continue;
      decoded[i].host_ports.push_back({.ip = std::string(ports[p]["hostIP"].text()),
                                       .protocol = std::string(ports[p]["protocol"].text()),
                                       .port = static_cast<int32_t>(port)});
    }
  }
}

}  // namespace

PodDefaults::PodDefaults(const std::vector<api::PriorityClass>& classes) {
  classes_["system-cluster-critical"] = {kSystemClusterCritical, {}};
  classes_["system-node-critical"] = {kSystemNodeCritical, {}};
  for (const api::PriorityClass& priority_class : classes) {
    const std::string& name = priority_class.meta.name;
    classes_[name] = {priority_class.value, priority_class.preemption_policy};
    if (!priority_class.global_default) continue;
    // Of several global defaults the least important counts.
    const bool is_lower = global_default_.empty() || priority_class.value < classes_[global_default_].value;
    if (is_lower) global_default_ = name;
  }
}

Result<void> PodDefaults::SetPriority(api::PodSpec& spec) const {
  if (spec.priority_class_name.empty() && !spec.priority) spec.priority_class_name = global_default_;
  const auto it = classes_.find(spec.priority_class_name);
  if (it != classes_.end()) {
    if (!spec.priority) spec.priority = it->second.value;
    if (spec.preemption_policy.empty()) spec.preemption_policy = it->second.preemption_policy;
  } else if (!spec.priority && !spec.priority_class_name.empty()) {
    return Invalid(
        fmt::format("spec.priorityClassName: no PriorityClass with name {} was found", spec.priority_class_name));
  }
  if (!spec.priority) spec.priority = 0;
  if (spec.preemption_policy.empty()) spec.preemption_policy = "PreemptLowerPriority";
  return {};
}

Result<void> PodDefaults::Apply(api::Pod& pod, NameGenerator& names) const {
  api::PodSpec& spec = pod.spec;
  if (spec.scheduler_name.empty()) spec.scheduler_name = "default-scheduler";
  DefaultRequests(spec);
  BERTH_CHECK_OK(SetPriority(spec));
  TolerateFailure("node.kubernetes.io/not-ready", spec.tolerations);
  TolerateFailure("node.kubernetes.io/unreachable", spec.tolerations);
  if (pod.meta.uid.empty()) pod.meta.uid = names.Uid();
  if (pod.status.phase.empty()) pod.status.phase = pod.node_name.empty() ? "Pending" : "Running";
  return {};
}

void DefaultHostPorts(api::Value spec, api::PodSpec& pod) {
  if (!pod.host_network) return;
  AddContainerPorts(spec["initContainers"], pod.init_containers);
  AddContainerPorts(spec["containers"], pod.containers);
}

Result<void> DefaultNode(api::Value value, api::Node& node) {
  const std::string hostname(cluster::kHostnameLabel);
  if (!node.meta.labels.Has(hostname)) node.meta.labels.Set(hostname, node.meta.name);
  if (!value["status"]["allocatable"].is_null()) return {};
  api::FieldReader r(value);
  r.Child("status").Read("capacity", node.allocatable);
  if (!r.ok()) return std::unexpected(r.error("Node " + node.meta.name));
  return {};
}

std::optional<std::string> DefaultStorageClass(const std::vector<api::StorageClass>& classes) {
  const api::StorageClass* best = nullptr;
  for (const api::StorageClass& candidate : classes) {
    if (candidate.meta.annotations.Get(kDefaultClassAnnotation) != "true") continue;
    const auto age = [](const api::StorageClass& c) { return c.meta.creation_timestamp.value_or(Time{}); };
    const bool is_better = best == nullptr || age(candidate) > age(*best) ||
                           (age(candidate) == age(*best) && candidate.meta.name < best->meta.name);
    if (is_better) best = &candidate;
  }
  return best == nullptr ? std::nullopt : std::optional(best->meta.name);
}

void DefaultClaim(const std::optional<std::string>& default_class, NameGenerator& names,
                  api::PersistentVolumeClaim& claim) {
  if (!claim.storage_class_name && claim.volume_name.empty()) claim.storage_class_name = default_class;
  if (claim.meta.uid.empty()) claim.meta.uid = names.Uid();
  if (claim.phase.empty()) claim.phase = "Pending";
}

void DefaultVolume(NameGenerator& names, api::PersistentVolume& volume) {
  if (volume.meta.uid.empty()) volume.meta.uid = names.Uid();
  if (volume.phase.empty()) volume.phase = "Available";
}

void DefaultStorageClassFields(api::StorageClass& storage_class) {
  if (!storage_class.volume_binding_mode) storage_class.volume_binding_mode = "Immediate";
}

void DefaultNamespace(api::Namespace& ns) { ns.meta.labels.Set(std::string(kNamespaceNameLabel), ns.meta.name); }

}  // namespace berth::simulate
