// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <iterator>
#include <utility>

#include "api/decode/decode.h"
#include "api/decode/decode_kinds.h"
#include "api/decode/decode_parts.h"

namespace berth::api {
namespace {

struct VolumeMount {
  std::vector<std::string> bind_mount_options;
};

void ReadName(FieldReader& r, std::string& name) { r.Read("name", name); }

void ReadAction(FieldReader& r, std::string& action) { r.Read("action", action); }

void ReadVolumeMount(FieldReader& r, VolumeMount& mount) { r.Read("bindMountOptions", mount.bind_mount_options); }

void ReadHostPort(FieldReader& r, HostPort& port) {
  r.Read("hostIP", port.ip);
  r.Read("protocol", port.protocol);
  r.Read("hostPort", port.port);
}

void ReadContainer(FieldReader& r, Container& container) {
  r.Read("name", container.name);
  r.Read("image", container.image);
  FieldReader resources = r.Child("resources");
  resources.Read("requests", container.requests);
  resources.Read("limits", container.limits);
  resources.Read("claims", container.claims, [](FieldReader& claim, std::string& name) { claim.Read("name", name); });
  r.Read("ports", container.host_ports, ReadHostPort);
  std::erase_if(container.host_ports, [](const HostPort& port) { return port.port <= 0; });

  std::string restart_policy;
  r.Read("restartPolicy", restart_policy);
  container.restart_always = restart_policy == "Always";
  std::vector<std::string> actions;
  r.Read("restartPolicyRules", actions, ReadAction);
  container.restarts_all_containers =
      std::find(actions.begin(), actions.end(), "RestartAllContainers") != actions.end();
  std::vector<VolumeMount> mounts;
  r.Read("volumeMounts", mounts, ReadVolumeMount);
  container.has_bind_mount_options = std::any_of(
      mounts.begin(), mounts.end(), [](const VolumeMount& mount) { return !mount.bind_mount_options.empty(); });
}

void ReadVolume(FieldReader& r, Volume& volume) {
  ReadVolumeSource(r, volume);
  // The names of the others are left out, as that of the token is random: pods of one template are to stay equal.
  if (volume.source != Volume::Source::kOther) r.Read("name", volume.name);
}

void ReadToleration(FieldReader& r, Toleration& toleration) {
  r.Read("key", toleration.key);
  r.Read("operator", toleration.op);
  r.Read("value", toleration.value);
  r.Read("effect", toleration.effect);
}

void ReadSpreadConstraint(FieldReader& r, TopologySpreadConstraint& constraint) {
  r.Read("maxSkew", constraint.max_skew);
  r.Read("topologyKey", constraint.topology_key);
  r.Read("whenUnsatisfiable", constraint.when_unsatisfiable);
  r.Read("labelSelector", constraint.label_selector, ReadLabelSelector);
  r.Read("minDomains", constraint.min_domains);
  r.Read("nodeAffinityPolicy", constraint.node_affinity_policy);
  r.Read("nodeTaintsPolicy", constraint.node_taints_policy);
  r.Read("matchLabelKeys", constraint.match_label_keys);
}

void ReadContainers(FieldReader& r, PodSpec& spec) {
  r.Read("initContainers", spec.init_containers, ReadContainer);
  r.Read("containers", spec.containers, ReadContainer);
  r.Read("ephemeralContainers", spec.ephemeral_containers, ReadContainer);
  std::erase_if(spec.ephemeral_containers,
                [](const Container& container) { return !container.has_bind_mount_options; });
}

void ReadPodResources(FieldReader& r, PodSpec& spec) {
  r.Read("overhead", spec.overhead);
  if (!r.Has("resources")) return;
  FieldReader resources = r.Child("resources");
  resources.Read("requests", spec.pod_requests.emplace());
  resources.Read("limits", spec.pod_limits);
}

void ReadSpec(FieldReader& r, PodSpec& spec) {
  ReadContainers(r, spec);
  ReadPodResources(r, spec);
  r.Read("volumes", spec.volumes, ReadVolume);
  r.Read("nodeSelector", spec.node_selector);
  r.Read("affinity", spec.affinity, ReadAffinity);
  r.Read("tolerations", spec.tolerations, ReadToleration);
  r.Read("topologySpreadConstraints", spec.topology_spread_constraints, ReadSpreadConstraint);
  r.Read("priority", spec.priority);
  r.Read("priorityClassName", spec.priority_class_name);
  r.Read("preemptionPolicy", spec.preemption_policy);
  r.Read("schedulerName", spec.scheduler_name);
  r.Read("schedulingGates", spec.scheduling_gates, ReadName);
  r.Read("hostNetwork", spec.host_network);
  r.Read("hostUsers", spec.host_users);
  r.Read("resourceClaims", spec.resource_claims, ReadPodResourceClaim);
  r.Child("schedulingGroup").Read("podGroupName", spec.scheduling_group);
}

void ReadContainerStatus(FieldReader& r, ContainerStatus& status) {
  r.Read("name", status.name);
  r.Read("allocatedResources", status.allocated_resources);
  r.Child("resources").Read("requests", status.resource_requests);
}

void ReadContainerStatuses(FieldReader& r, std::vector<ContainerStatus>& statuses) {
  std::vector<ContainerStatus> init_statuses;
  r.Read("containerStatuses", statuses, ReadContainerStatus);
  r.Read("initContainerStatuses", init_statuses, ReadContainerStatus);
  std::move(init_statuses.begin(), init_statuses.end(), std::back_inserter(statuses));
  std::erase_if(statuses, [](const ContainerStatus& s) { return !s.allocated_resources && !s.resource_requests; });
}

void ReadRequestMapping(FieldReader& r, ExtendedResourceClaimStatus::Mapping& mapping) {
  r.Read("containerName", mapping.container_name);
  r.Read("resourceName", mapping.resource_name);
  r.Read("requestName", mapping.request_name);
}

void ReadExtendedResourceClaimStatus(FieldReader& r, ExtendedResourceClaimStatus& status) {
  r.Read("resourceClaimName", status.claim_name);
  r.Read("requestMappings", status.mappings, ReadRequestMapping);
}

struct MappedResource {
  std::string name;
  Quantity quantity;
};

void ReadMappedResource(FieldReader& r, MappedResource& mapped) {
  r.Read("name", mapped.name);
  r.Read("quantity", mapped.quantity);
}

void ReadOverheadResource(FieldReader& r, NodeAllocatableClaimStatus::Overhead& overhead) {
  r.Read("name", overhead.name);
  r.Read("perPod", overhead.per_pod);
  r.Read("perContainer", overhead.per_container);
}

void ReadNodeAllocatableClaim(FieldReader& r, NodeAllocatableClaimStatus& status) {
  r.Read("resourceClaimName", status.claim_name);
  r.Read("containers", status.containers);
  std::vector<MappedResource> mapping;
  r.Read("mapping", mapping, ReadMappedResource);
  for (MappedResource& mapped : mapping) status.mapping.Set(std::move(mapped.name), std::move(mapped.quantity));
  r.Read("overhead", status.overhead, ReadOverheadResource);
}

void ReadClaimStatuses(FieldReader& r, PodStatus& status) {
  r.Read("extendedResourceClaimStatus", status.extended_resource_claim_status, ReadExtendedResourceClaimStatus);
  r.Read("nodeAllocatableResourceClaimStatuses", status.node_allocatable_claims, ReadNodeAllocatableClaim);
}

void ReadStatus(FieldReader& r, PodStatus& status) {
  r.Read("phase", status.phase);
  r.Read("nominatedNodeName", status.nominated_node_name);
  r.Read("startTime", status.start_time);
  r.Read("conditions", status.conditions, ReadPodCondition);
  ReadContainerStatuses(r, status.container_statuses);
  r.Read("allocatedResources", status.allocated_resources);
  status.has_resources = r.Has("resources");
  r.Child("resources").Read("requests", status.resource_requests);
  r.Read("resourceClaimStatuses", status.resource_claim_statuses, ReadResourceClaimStatus);
  ReadClaimStatuses(r, status);
}

void ReadPodTemplate(FieldReader& r, Pod& pod) {
  r.Read("spec", pod.spec, ReadSpec);
  ObjectMeta meta = std::exchange(pod.meta, {});
  pod.meta.labels = std::move(meta.labels);
  pod.meta.annotations = std::move(meta.annotations);
}

}  // namespace

void ReadPod(FieldReader& r, Pod& pod) {
  r.Child("spec").Read("nodeName", pod.node_name);
  r.Read("spec", pod.spec, ReadSpec);
  r.Read("status", pod.status, ReadStatus);
}

Result<Pod> DecodePodTemplate(Value pod_template) { return DecodeAs("pod template", pod_template, ReadPodTemplate); }

Result<NodeAffinity> DecodeNodeAffinity(Value value, const std::string& path) {
  FieldReader r(value, path);
  NodeAffinity affinity;
  ReadNodeAffinity(r, affinity);
  if (!r.ok()) return std::unexpected(r.error());
  return affinity;
}

Result<std::optional<LabelSelector>> DecodeLabelSelector(Value value, const std::string& path) {
  if (value.is_null()) return std::nullopt;
  FieldReader r(value, path);
  LabelSelector selector;
  ReadLabelSelector(r, selector);
  if (!r.ok()) return std::unexpected(r.error());
  return selector;
}

Result<void> DecodeClaimStatuses(Value status, PodStatus& out) {
  FieldReader r(status);
  ReadClaimStatuses(r, out);
  if (!r.ok()) return std::unexpected(r.error());
  return {};
}

}  // namespace berth::api
