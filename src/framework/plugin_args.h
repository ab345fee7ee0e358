// SPDX-License-Identifier: Apache-2.0
// Plugin arguments: what profiles[].pluginConfig[].args can say, one plain struct per plugin that takes arguments.
//
// A default-constructed struct holds the defaults of kubescheduler.config.k8s.io/v1, except for defaults that depend on
// feature gates (DynamicResourcesArgs, VolumeBindingArgs::shape), which config::Load fills in. Words such as the
// scoring strategy's type are kept as written, because validation reports them; after config::Load they are one of the
// constants.

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "api/pod.h"
#include "base/time.h"

namespace berth::framework {

struct DefaultPreemptionArgs {
  int32_t min_candidate_nodes_percentage = 10;
  int32_t min_candidate_nodes_absolute = 100;

  bool operator==(const DefaultPreemptionArgs&) const = default;
};

struct DynamicResourcesArgs {
  std::optional<Duration> filter_timeout;   // Absent or zero: no limit.
  std::optional<Duration> binding_timeout;  // Absent: kDefaultBindingTimeout.

  static constexpr Duration kDefaultFilterTimeout = Seconds(10);
  static constexpr Duration kDefaultBindingTimeout = Seconds(600);

  bool operator==(const DynamicResourcesArgs&) const = default;
};

struct InterPodAffinityArgs {
  int32_t hard_pod_affinity_weight = 1;
  bool ignore_preferred_terms_of_existing_pods = false;

  bool operator==(const InterPodAffinityArgs&) const = default;
};

struct NodeAffinityArgs {
  std::optional<api::NodeAffinity> added_affinity;
  // What is wrong with the selectors of added_affinity, each as `.path: reason` below the args. Found while decoding,
  // since the texts tell `values: []` from an absent list and the decoded form does not. Empty after config::Load.
  std::vector<std::string> selector_errors;

  bool operator==(const NodeAffinityArgs&) const = default;
};

struct ResourceSpec {
  std::string name;
  int64_t weight = 0;  // 0 becomes 1 when defaulted.

  bool operator==(const ResourceSpec&) const = default;
};

struct UtilizationShapePoint {
  int32_t utilization = 0;  // 0 to 100.
  int32_t score = 0;        // 0 to 10.

  bool operator==(const UtilizationShapePoint&) const = default;
};

struct NodeResourcesBalancedAllocationArgs {
  std::vector<ResourceSpec> resources = {{"cpu", 1}, {"memory", 1}};

  bool operator==(const NodeResourcesBalancedAllocationArgs&) const = default;
};

struct RequestedToCapacityRatioParam {
  std::vector<UtilizationShapePoint> shape;

  bool operator==(const RequestedToCapacityRatioParam&) const = default;
};

struct ScoringStrategy {
  static constexpr std::string_view kLeastAllocated = "LeastAllocated";
  static constexpr std::string_view kMostAllocated = "MostAllocated";
  static constexpr std::string_view kRequestedToCapacityRatio = "RequestedToCapacityRatio";

  std::string type = std::string(kLeastAllocated);
  std::vector<ResourceSpec> resources = {{"cpu", 1}, {"memory", 1}};
  std::optional<RequestedToCapacityRatioParam> requested_to_capacity_ratio;

  bool operator==(const ScoringStrategy&) const = default;
};

struct NodeResourcesFitArgs {
  std::vector<std::string> ignored_resources;
  std::vector<std::string> ignored_resource_groups;
  ScoringStrategy scoring_strategy;

  bool operator==(const NodeResourcesFitArgs&) const = default;
};

struct PodTopologySpreadArgs {
  static constexpr std::string_view kSystemDefaulting = "System";
  static constexpr std::string_view kListDefaulting = "List";

  std::vector<api::TopologySpreadConstraint> default_constraints;
  std::string defaulting_type = std::string(kSystemDefaulting);

  bool operator==(const PodTopologySpreadArgs&) const = default;
};

struct VolumeBindingArgs {
  int64_t bind_timeout_seconds = 600;
  std::vector<UtilizationShapePoint> shape;

  bool operator==(const VolumeBindingArgs&) const = default;
};

// The arguments of plugins that only a legacy Policy can enable (plugins/legacy).

struct NodeLabelArgs {
  std::vector<std::string> present_labels;  // Filter: must be there.
  std::vector<std::string> absent_labels;   // Filter: must not be there.
  std::vector<std::string> present_labels_preference;
  std::vector<std::string> absent_labels_preference;

  bool operator==(const NodeLabelArgs&) const = default;
};

struct ServiceAffinityArgs {
  std::vector<std::string> affinity_labels;                  // Filter.
  std::vector<std::string> anti_affinity_labels_preference;  // Score.

  bool operator==(const ServiceAffinityArgs&) const = default;
};

struct RequestedToCapacityRatioArgs {
  std::vector<UtilizationShapePoint> shape;
  std::vector<ResourceSpec> resources;

  bool operator==(const RequestedToCapacityRatioArgs&) const = default;
};

// NodeResourcesLeastAllocated and NodeResourcesMostAllocated.
struct ResourceAllocationArgs {
  std::vector<ResourceSpec> resources = {{"cpu", 1}, {"memory", 1}};

  bool operator==(const ResourceAllocationArgs&) const = default;
};

// EBSLimits, GCEPDLimits, AzureDiskLimits and CinderLimits.
struct VolumeLimitArgs {
  // How many volumes a node that does not say so can attach; absent: what the cloud is known for. KUBE_MAX_PD_VOLS.
  std::optional<int32_t> max_pd_volumes;

  bool operator==(const VolumeLimitArgs&) const = default;
};

// Arguments of a plugin whose argument type is not known here: their JSON text.
struct OpaqueArgs {
  std::string json;

  bool operator==(const OpaqueArgs&) const = default;
};

// The monostate stands for "no arguments".
using PluginArgs = std::variant<std::monostate, DefaultPreemptionArgs, DynamicResourcesArgs, InterPodAffinityArgs,
                                NodeAffinityArgs, NodeResourcesBalancedAllocationArgs, NodeResourcesFitArgs,
                                PodTopologySpreadArgs, VolumeBindingArgs, NodeLabelArgs, ServiceAffinityArgs,
                                RequestedToCapacityRatioArgs, ResourceAllocationArgs, VolumeLimitArgs, OpaqueArgs>;

}  // namespace berth::framework
