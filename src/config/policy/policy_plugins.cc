// SPDX-License-Identifier: Apache-2.0
#include "config/policy/policy_plugins.h"

#include <algorithm>

namespace berth::config {
namespace {

using enum framework::ExtensionPoint;

constexpr PolicyPluginRow kPredicateRows[] = {
    {"CheckNodeUnschedulable", "NodeUnschedulable", {kFilter}},
    {"GeneralPredicates", "NodeResourcesFit", {kPreFilter, kFilter}},
    {"GeneralPredicates", "NodeName", {kFilter}},
    {"GeneralPredicates", "NodePorts", {kPreFilter, kFilter}},
    {"GeneralPredicates", "NodeAffinity", {kPreFilter, kFilter}},
    {"HostName", "NodeName", {kFilter}},
    {"PodFitsHostPorts", "NodePorts", {kPreFilter, kFilter}},
    {"MatchNodeSelector", "NodeAffinity", {kPreFilter, kFilter}},
    {"PodFitsResources", "NodeResourcesFit", {kPreFilter, kFilter}},
    {"NoDiskConflict", "VolumeRestrictions", {kFilter}},
    {"PodToleratesNodeTaints", "TaintToleration", {kFilter}},
    {"CheckNodeLabelPresence", "NodeLabel", {kFilter}},
    {"CheckServiceAffinity", "ServiceAffinity", {kPreFilter, kFilter}},
    {"MaxEBSVolumeCount", "EBSLimits", {kFilter}},
    {"MaxGCEPDVolumeCount", "GCEPDLimits", {kFilter}},
    {"MaxCSIVolumeCountPred", "NodeVolumeLimits", {kFilter}},
    {"MaxAzureDiskVolumeCount", "AzureDiskLimits", {kFilter}},
    {"MaxCinderVolumeCount", "CinderLimits", {kFilter}},
    {"CheckVolumeBinding", "VolumeBinding", {kPreFilter, kFilter, kReserve, kPreBind}},
    {"NoVolumeZoneConflict", "VolumeZone", {kFilter}},
    {"EvenPodsSpread", "PodTopologySpread", {kPreFilter, kFilter}},
    {"MatchInterPodAffinity", "InterPodAffinity", {kPreFilter, kFilter}},
};

// Three of them have the name of their plugin: entries with an argument go by that.
constexpr PolicyPluginRow kPriorityRows[] = {
    {"BalancedResourceAllocation", "NodeResourcesBalancedAllocation", {kScore}},
    {"EvenPodsSpreadPriority", "PodTopologySpread", {kPreScore, kScore}},
    {"ImageLocalityPriority", "ImageLocality", {kScore}},
    {"InterPodAffinityPriority", "InterPodAffinity", {kPreScore, kScore}},
    {"LeastRequestedPriority", "NodeResourcesLeastAllocated", {kScore}},
    {"MostRequestedPriority", "NodeResourcesMostAllocated", {kScore}},
    {"NodeAffinityPriority", "NodeAffinity", {kPreScore, kScore}},
    {"NodeLabel", "NodeLabel", {kScore}},
    {"NodePreferAvoidPodsPriority", "NodePreferAvoidPods", {kScore}},
    {"RequestedToCapacityRatio", "RequestedToCapacityRatio", {kScore}},
    {"SelectorSpreadPriority", "PodTopologySpread", {kPreScore, kScore}},
    {"ServiceAffinity", "ServiceAffinity", {kScore}},
    {"TaintTolerationPriority", "TaintToleration", {kPreScore, kScore}},
};

constexpr std::string_view kDefaultPredicates[] = {
    "NoVolumeZoneConflict",   "MaxEBSVolumeCount",     "MaxGCEPDVolumeCount",    "MaxAzureDiskVolumeCount",
    "MaxCSIVolumeCountPred",  "MatchInterPodAffinity", "NoDiskConflict",         "GeneralPredicates",
    "PodToleratesNodeTaints", "CheckVolumeBinding",    "CheckNodeUnschedulable", "EvenPodsSpread",
};

constexpr DefaultPriority kDefaultPriorities[] = {
    {"SelectorSpreadPriority", 1},     {"InterPodAffinityPriority", 1},        {"LeastRequestedPriority", 1},
    {"BalancedResourceAllocation", 1}, {"NodePreferAvoidPodsPriority", 10000}, {"NodeAffinityPriority", 1},
    {"TaintTolerationPriority", 1},    {"ImageLocalityPriority", 1},           {"EvenPodsSpreadPriority", 2},
};

constexpr std::string_view kMandatoryPredicates[] = {"PodToleratesNodeTaints", "CheckNodeUnschedulable"};

}  // namespace

std::span<const PolicyPluginRow> PredicatePlugins() { return kPredicateRows; }
std::span<const PolicyPluginRow> PriorityPlugins() { return kPriorityRows; }
std::span<const std::string_view> DefaultPredicates() { return kDefaultPredicates; }
std::span<const DefaultPriority> DefaultPriorities() { return kDefaultPriorities; }
std::span<const std::string_view> MandatoryPredicates() { return kMandatoryPredicates; }

bool IsKnownPredicate(std::string_view name) {
  return std::ranges::find(kPredicateRows, name, &PolicyPluginRow::name) != std::end(kPredicateRows);
}

bool IsKnownPriority(std::string_view name) {
  return std::ranges::find(kPriorityRows, name, &PolicyPluginRow::name) != std::end(kPriorityRows);
}

}  // namespace berth::config
