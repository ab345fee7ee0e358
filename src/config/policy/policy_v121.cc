// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <utility>

#include "api/document/field_error.h"
#include "config/policy/policy_profile.h"
#include "config/policy/policy_v122.h"

namespace berth::config {
namespace {

using enum framework::ExtensionPoint;

struct ProviderRow {
  framework::ExtensionPoint point;
  std::string_view plugin;
  int32_t weight = 0;
};

// In running order at each point.
constexpr ProviderRow kDefaultProvider[] = {
    {kQueueSort, "PrioritySort"},
    {kPreFilter, "NodeResourcesFit"},
    {kPreFilter, "NodePorts"},
    {kPreFilter, "PodTopologySpread"},
    {kPreFilter, "InterPodAffinity"},
    {kPreFilter, "VolumeBinding"},
    {kPreFilter, "NodeAffinity"},
    {kFilter, "NodeUnschedulable"},
    {kFilter, "NodeName"},
    {kFilter, "TaintToleration"},
    {kFilter, "NodeAffinity"},
    {kFilter, "NodePorts"},
    {kFilter, "NodeResourcesFit"},
    {kFilter, "VolumeRestrictions"},
    {kFilter, "EBSLimits"},
    {kFilter, "GCEPDLimits"},
    {kFilter, "NodeVolumeLimits"},
    {kFilter, "AzureDiskLimits"},
    {kFilter, "VolumeBinding"},
    {kFilter, "VolumeZone"},
    {kFilter, "PodTopologySpread"},
    {kFilter, "InterPodAffinity"},
    {kPostFilter, "DefaultPreemption"},
    {kPreScore, "InterPodAffinity"},
    {kPreScore, "PodTopologySpread"},
    {kPreScore, "TaintToleration"},
    {kPreScore, "NodeAffinity"},
    {kScore, "NodeResourcesBalancedAllocation", 1},
    {kScore, "ImageLocality", 1},
    {kScore, "InterPodAffinity", 1},
    {kScore, "NodeResourcesLeastAllocated", 1},
    {kScore, "NodeAffinity", 1},
    {kScore, "NodePreferAvoidPods", 10000},
    {kScore, "PodTopologySpread", 2},
    {kScore, "TaintToleration", 1},
    {kReserve, "VolumeBinding"},
    {kPreBind, "VolumeBinding"},
    {kBind, "DefaultBinder"},
};

}  // namespace

Result<framework::SchedulerConfiguration> TranslateProvider(std::string_view name, const PolicyOptions& options,
                                                            const framework::FeatureGates& gates) {
  const bool packs = name == "ClusterAutoscalerProvider";
  if (!packs && name != "DefaultProvider") {
    return Invalid(fmt::format("couldn't create scheduler using provider {0}: algorithm provider {0} is not registered",
                               api::GoQuote(name)));
  }
  ProfileBuilder builder;
  for (const ProviderRow& row : kDefaultProvider) {
    const bool is_least = row.plugin == "NodeResourcesLeastAllocated";
    builder.Enable(row.point, packs && is_least ? "NodeResourcesMostAllocated" : row.plugin, row.weight);
  }
  PolicyArguments arguments;
  arguments.hard_pod_affinity_weight = options.hard_pod_affinity_weight;
  arguments.max_pd_volumes = options.max_pd_volumes;
  return std::move(builder).Build(arguments, {}, options, gates);
}

}  // namespace berth::config
