// SPDX-License-Identifier: Apache-2.0
// Pod: what scheduling reads of a pod.
//
// spec.nodeName stands beside the spec, not in it, so that pods made from one template have equal specs and the cluster
// state can keep one copy. Pointers of the API that may be nil are std::optional where nil and empty differ.

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "api/objects/meta.h"
#include "api/parts/resource_list.h"
#include "api/parts/selector.h"
#include "api/parts/toleration.h"

namespace berth::api {

struct HostPort {
  std::string ip;        // As written; empty means 0.0.0.0.
  std::string protocol;  // As written; empty means TCP.
  int32_t port = 0;      // hostPort; only ports with hostPort > 0 are kept.

  bool operator==(const HostPort&) const = default;
};

struct Container {
  std::string name;
  std::string image;
  ResourceList requests;
  ResourceList limits;
  std::vector<HostPort> host_ports;
  bool restart_always = false;           // restartPolicy: Always (makes an init container a sidecar).
  bool restarts_all_containers = false;  // Some restartPolicyRules action is RestartAllContainers.
  bool has_bind_mount_options = false;   // Some volumeMount has bindMountOptions.
  std::vector<std::string> claims;       // resources.claims: names of the pod's resource claims.

  bool operator==(const Container&) const = default;
};

struct Volume {
  enum class Source : uint8_t {
    kOther,  // Nothing that scheduling looks at (emptyDir, configMap, secret, hostPath, ...).
    kPersistentVolumeClaim,
    kEphemeral,
    kGcePersistentDisk,
    kAwsElasticBlockStore,
    kIscsi,
    kRbd,
    kCsi,
    kAzureDisk,
    kCinder,
    kPortworx,
    kVsphere,
    kAzureFile,
    kImage,
  };
  std::string name;
  Source source = Source::kOther;
  // Claim name, pdName, volumeID, iqn, rbd image, csi driver, azure diskName, image reference; azureFile shareName;
  // vsphere volumePath.
  std::string id;
  std::string pool;                   // rbd pool; azureDisk diskURI; azureFile secretName.
  std::vector<std::string> monitors;  // rbd.
  std::string disk_kind;              // azureDisk kind.
  bool read_only = false;

  bool operator==(const Volume&) const = default;
};

struct PodAffinityTerm {
  std::optional<LabelSelector> label_selector;
  std::vector<std::string> namespaces;
  std::optional<LabelSelector> namespace_selector;
  std::string topology_key;

  bool operator==(const PodAffinityTerm&) const = default;
};

struct WeightedPodAffinityTerm {
  int32_t weight = 0;
  PodAffinityTerm term;

  bool operator==(const WeightedPodAffinityTerm&) const = default;
};

struct PreferredSchedulingTerm {
  int32_t weight = 0;
  NodeSelectorTerm preference;

  bool operator==(const PreferredSchedulingTerm&) const = default;
};

struct NodeAffinity {
  std::optional<NodeSelector> required;
  std::optional<std::vector<PreferredSchedulingTerm>> preferred;  // nil and empty differ.

  bool operator==(const NodeAffinity&) const = default;
};

struct PodAffinity {  // Also podAntiAffinity.
  std::vector<PodAffinityTerm> required;
  std::vector<WeightedPodAffinityTerm> preferred;

  bool operator==(const PodAffinity&) const = default;
};

struct Affinity {
  std::optional<NodeAffinity> node_affinity;
  std::optional<PodAffinity> pod_affinity;
  std::optional<PodAffinity> pod_anti_affinity;

  bool operator==(const Affinity&) const = default;
};

struct TopologySpreadConstraint {
  int32_t max_skew = 0;
  std::string topology_key;
  std::string when_unsatisfiable;  // DoNotSchedule or ScheduleAnyway.
  std::optional<LabelSelector> label_selector;
  std::optional<int32_t> min_domains;
  std::string node_affinity_policy;  // Empty (Honor), Honor, Ignore.
  std::string node_taints_policy;    // Empty (Ignore), Honor, Ignore.
  std::vector<std::string> match_label_keys;

  bool operator==(const TopologySpreadConstraint&) const = default;
};

struct PodResourceClaim {
  std::string name;
  std::optional<std::string> claim_name;
  std::optional<std::string> template_name;

  bool operator==(const PodResourceClaim&) const = default;
};

struct PodSpec {
  std::vector<Container> init_containers;
  std::vector<Container> containers;
  std::vector<Container> ephemeral_containers;  // Only those with bind mount options are kept.
  std::vector<Volume> volumes;
  std::optional<Labels> node_selector;  // nil and empty differ.
  std::optional<Affinity> affinity;
  std::vector<Toleration> tolerations;
  std::vector<TopologySpreadConstraint> topology_spread_constraints;
  std::optional<int32_t> priority;
  std::string priority_class_name;
  std::string preemption_policy;  // Empty, PreemptLowerPriority, Never.
  std::string scheduler_name;
  std::vector<std::string> scheduling_gates;
  ResourceList overhead;
  std::optional<ResourceList> pod_requests;  // spec.resources.requests, present when spec.resources is.
  ResourceList pod_limits;                   // spec.resources.limits.
  bool host_network = false;
  std::optional<bool> host_users;
  std::vector<PodResourceClaim> resource_claims;
  std::string scheduling_group;  // spec.schedulingGroup.podGroupName.

  bool operator==(const PodSpec&) const = default;
};

struct PodCondition {
  std::string type;
  std::string status;
  std::string reason;
  std::string message;
  int64_t observed_generation = 0;
  std::optional<Time> last_transition_time;

  bool operator==(const PodCondition&) const = default;
};

struct ContainerStatus {
  std::string name;
  std::optional<ResourceList> allocated_resources;
  std::optional<ResourceList> resource_requests;  // resources.requests.

  bool operator==(const ContainerStatus&) const = default;
};

struct PodResourceClaimStatus {
  std::string name;
  std::optional<std::string> claim_name;

  bool operator==(const PodResourceClaimStatus&) const = default;
};

struct ExtendedResourceClaimStatus {
  std::string claim_name;
  struct Mapping {
    std::string container_name;
    std::string resource_name;
    std::string request_name;
    bool operator==(const Mapping&) const = default;
  };
  std::vector<Mapping> mappings;

  bool operator==(const ExtendedResourceClaimStatus&) const = default;
};

// What the devices of a claim take of the node's own resources, such as memory.
struct NodeAllocatableClaimStatus {
  struct Overhead {
    std::string name;
    std::optional<Quantity> per_pod;
    std::optional<Quantity> per_container;
    bool operator==(const Overhead&) const = default;
  };
  std::string claim_name;
  std::vector<std::string> containers;
  ResourceList mapping;
  std::vector<Overhead> overhead;

  bool operator==(const NodeAllocatableClaimStatus&) const = default;
};

struct PodStatus {
  std::string phase;
  std::string nominated_node_name;
  std::optional<Time> start_time;
  std::vector<PodCondition> conditions;
  // Only statuses that carry resources are kept; regular containers first, then init containers.
  std::vector<ContainerStatus> container_statuses;
  std::optional<ResourceList> allocated_resources;  // Pod level.
  bool has_resources = false;                       // Pod level: resources is set.
  std::optional<ResourceList> resource_requests;    // Pod level: resources.requests.
  std::vector<PodResourceClaimStatus> resource_claim_statuses;
  std::optional<ExtendedResourceClaimStatus> extended_resource_claim_status;
  std::vector<NodeAllocatableClaimStatus> node_allocatable_claims;  // nodeAllocatableResourceClaimStatuses.

  bool operator==(const PodStatus&) const = default;

  const PodCondition* Condition(std::string_view type) const {
    for (const PodCondition& condition : conditions) {
      if (condition.type == type) return &condition;
    }
    return nullptr;
  }
};

struct Pod {
  ObjectMeta meta;
  std::string node_name;  // spec.nodeName.
  PodSpec spec;
  PodStatus status;
  SourceText source;

  // Whether it has ended for good.
  bool is_terminal() const { return status.phase == "Succeeded" || status.phase == "Failed"; }

  bool operator==(const Pod&) const = default;
};

}  // namespace berth::api
