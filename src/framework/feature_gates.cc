// SPDX-License-Identifier: Apache-2.0
#include "framework/feature_gates.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <vector>

namespace berth::framework {
namespace {

constexpr std::array<GateSpec, kGateCount> kGateSpecs = {{
    {Gate::kAtomicFIFO, "AtomicFIFO", GateStage::kBeta, true},
    {Gate::kClearingNominatedNodeNameAfterBinding, "ClearingNominatedNodeNameAfterBinding", GateStage::kBeta, true},
    {Gate::kComponentFlagz, "ComponentFlagz", GateStage::kBeta, true},
    {Gate::kComponentStatusz, "ComponentStatusz", GateStage::kBeta, true},
    {Gate::kCompositePodGroup, "CompositePodGroup", GateStage::kAlpha, false},
    {Gate::kConcurrentWatchObjectDecode, "ConcurrentWatchObjectDecode", GateStage::kBeta, true},
    {Gate::kCoordinatedLeaderElection, "CoordinatedLeaderElection", GateStage::kBeta, false},
    {Gate::kDRAAdminAccess, "DRAAdminAccess", GateStage::kStable, true, true},
    {Gate::kDRAConsumableCapacity, "DRAConsumableCapacity", GateStage::kBeta, true},
    {Gate::kDRADerivedAttributes, "DRADerivedAttributes", GateStage::kAlpha, false},
    {Gate::kDRADeviceBindingConditions, "DRADeviceBindingConditions", GateStage::kBeta, true},
    {Gate::kDRADeviceCompatibilityGroups, "DRADeviceCompatibilityGroups", GateStage::kAlpha, false},
    {Gate::kDRADeviceTaintRules, "DRADeviceTaintRules", GateStage::kStable, true},
    {Gate::kDRADeviceTaints, "DRADeviceTaints", GateStage::kStable, true},
    {Gate::kDRAExtendedResource, "DRAExtendedResource", GateStage::kStable, true, true},
    {Gate::kDRAFractionalCapacityRange, "DRAFractionalCapacityRange", GateStage::kBeta, false},
    {Gate::kDRAListTypeAttributes, "DRAListTypeAttributes", GateStage::kAlpha, false},
    {Gate::kDRANodeAllocatableResources, "DRANodeAllocatableResources", GateStage::kAlpha, false},
    {Gate::kDRAOptionalNodeOperations, "DRAOptionalNodeOperations", GateStage::kAlpha, false},
    {Gate::kDRAPartitionableDevices, "DRAPartitionableDevices", GateStage::kBeta, true},
    {Gate::kDRAPartitionableDevicesType, "DRAPartitionableDevicesType", GateStage::kAlpha, false},
    {Gate::kDRAPrioritizedList, "DRAPrioritizedList", GateStage::kStable, true, true},
    {Gate::kDRAResourceClaimDeviceStatus, "DRAResourceClaimDeviceStatus", GateStage::kStable, true, true},
    {Gate::kDRAResourceClaimGranularStatusAuthorization, "DRAResourceClaimGranularStatusAuthorization",
     GateStage::kBeta, true},
    {Gate::kDRAResourcePoolStatus, "DRAResourcePoolStatus", GateStage::kAlpha, false},
    {Gate::kDRASchedulerFilterTimeout, "DRASchedulerFilterTimeout", GateStage::kBeta, true},
    {Gate::kDRAWorkloadResourceClaims, "DRAWorkloadResourceClaims", GateStage::kBeta, false},
    {Gate::kDynamicResourceAllocation, "DynamicResourceAllocation", GateStage::kStable, true, true},
    {Gate::kGenericWorkload, "GenericWorkload", GateStage::kBeta, false},
    {Gate::kImageVolume, "ImageVolume", GateStage::kStable, true, true},
    {Gate::kInOrderInformersBatchProcess, "InOrderInformersBatchProcess", GateStage::kBeta, true},
    {Gate::kInPlacePodLevelResourcesVerticalScaling, "InPlacePodLevelResourcesVerticalScaling", GateStage::kBeta, true},
    {Gate::kInPlacePodVerticalScaling, "InPlacePodVerticalScaling", GateStage::kStable, true, true},
    {Gate::kInPlacePodVerticalScalingSchedulerPreemption, "InPlacePodVerticalScalingSchedulerPreemption",
     GateStage::kAlpha, false},
    {Gate::kInterPodAffinityHostnameFastPath, "InterPodAffinityHostnameFastPath", GateStage::kAlpha, false},
    {Gate::kMatchLabelKeysInPodAffinity, "MatchLabelKeysInPodAffinity", GateStage::kStable, true, true},
    {Gate::kMatchLabelKeysInPodTopologySpread, "MatchLabelKeysInPodTopologySpread", GateStage::kBeta, true},
    {Gate::kMatchLabelKeysInPodTopologySpreadSelectorMerge, "MatchLabelKeysInPodTopologySpreadSelectorMerge",
     GateStage::kBeta, true},
    {Gate::kNodeDeclaredFeatures, "NodeDeclaredFeatures", GateStage::kStable, true, true},
    {Gate::kNodeInclusionPolicyInPodTopologySpread, "NodeInclusionPolicyInPodTopologySpread", GateStage::kStable, true,
     true},
    {Gate::kNominatedNodeNameForExpectation, "NominatedNodeNameForExpectation", GateStage::kBeta, true},
    {Gate::kOpportunisticBatching, "OpportunisticBatching", GateStage::kBeta, true},
    {Gate::kPodGroupPreemptionPolicy, "PodGroupPreemptionPolicy", GateStage::kAlpha, false},
    {Gate::kPodLevelResources, "PodLevelResources", GateStage::kBeta, true},
    {Gate::kPodLevelResourcesFixDefaulting, "PodLevelResourcesFixDefaulting", GateStage::kBeta, true},
    {Gate::kPodLevelResourcesFixKubeletQOSClass, "PodLevelResourcesFixKubeletQOSClass", GateStage::kBeta, true},
    {Gate::kSchedulerAsyncAPICalls, "SchedulerAsyncAPICalls", GateStage::kBeta, false},
    {Gate::kSchedulerAsyncPreemption, "SchedulerAsyncPreemption", GateStage::kBeta, true},
    {Gate::kSchedulerPopFromBackoffQ, "SchedulerPopFromBackoffQ", GateStage::kBeta, true},
    {Gate::kSchedulerPreQueueingHints, "SchedulerPreQueueingHints", GateStage::kAlpha, false},
    {Gate::kStorageCapacityScoring, "StorageCapacityScoring", GateStage::kBeta, true},
    {Gate::kTaintTolerationComparisonOperators, "TaintTolerationComparisonOperators", GateStage::kAlpha, false},
    {Gate::kTopologyAwareWorkloadScheduling, "TopologyAwareWorkloadScheduling", GateStage::kAlpha, false},
    {Gate::kUnlockWhileProcessingFIFO, "UnlockWhileProcessingFIFO", GateStage::kBeta, true},
    {Gate::kVolumeAttributesClass, "VolumeAttributesClass", GateStage::kStable, true, true},
    {Gate::kVolumeLimitScaling, "VolumeLimitScaling", GateStage::kBeta, true},
    {Gate::kWatchListClient, "WatchListClient", GateStage::kBeta, true},
    {Gate::kWorkloadWithJob, "WorkloadWithJob", GateStage::kAlpha, false},
}};

static_assert(std::ranges::is_sorted(kGateSpecs, {}, &GateSpec::name));

struct GateDependency {
  Gate gate;
  Gate needs;
};

// Dependencies on gates that are locked to on are left out.
constexpr GateDependency kDependencies[] = {
    {Gate::kCompositePodGroup, Gate::kGenericWorkload},
    {Gate::kCompositePodGroup, Gate::kTopologyAwareWorkloadScheduling},
    {Gate::kDRADeviceCompatibilityGroups, Gate::kDRAPartitionableDevices},
    {Gate::kDRADeviceTaintRules, Gate::kDRADeviceTaints},
    {Gate::kDRAFractionalCapacityRange, Gate::kDRAConsumableCapacity},
    {Gate::kDRAPartitionableDevicesType, Gate::kDRAPartitionableDevices},
    {Gate::kDRAPartitionableDevicesType, Gate::kDRAResourcePoolStatus},
    {Gate::kDRAWorkloadResourceClaims, Gate::kGenericWorkload},
    {Gate::kInPlacePodLevelResourcesVerticalScaling, Gate::kPodLevelResources},
    {Gate::kMatchLabelKeysInPodTopologySpreadSelectorMerge, Gate::kMatchLabelKeysInPodTopologySpread},
    {Gate::kPodGroupPreemptionPolicy, Gate::kGenericWorkload},
    {Gate::kPodLevelResourcesFixDefaulting, Gate::kPodLevelResources},
    {Gate::kPodLevelResourcesFixKubeletQOSClass, Gate::kPodLevelResources},
    {Gate::kTopologyAwareWorkloadScheduling, Gate::kGenericWorkload},
    {Gate::kWorkloadWithJob, Gate::kGenericWorkload},
};

constexpr std::string_view NameOf(Gate gate) { return kGateSpecs[static_cast<size_t>(gate)].name; }

const GateSpec* FindSpec(std::string_view name) {
  const auto it = std::ranges::lower_bound(kGateSpecs, name, {}, &GateSpec::name);
  return it != kGateSpecs.end() && it->name == name ? &*it : nullptr;
}

Error Join(const std::vector<std::string>& messages) {
  if (messages.size() == 1) return {Code::kInvalid, messages.front()};
  return {Code::kInvalid, fmt::format("[{}]", fmt::join(messages, ", "))};
}

std::vector<std::string> UnmetDependencies(const FeatureGates& gates) {
  std::map<std::string_view, std::vector<std::string_view>> unmet;
  for (const auto& [gate, needs] : kDependencies) {
    if (gates.Enabled(gate) && !gates.Enabled(needs)) unmet[NameOf(gate)].push_back(NameOf(needs));
  }
  std::vector<std::string> messages;
  for (const auto& [name, needs] : unmet) {
    messages.push_back(
        fmt::format("{} is enabled, but depends on features that are disabled: [{}]", name, fmt::join(needs, " ")));
  }
  return messages;
}

}  // namespace

std::span<const GateSpec> GateSpecs() { return kGateSpecs; }

FeatureGates::FeatureGates() {
  for (const GateSpec& spec : kGateSpecs) Set(spec.gate, spec.enabled);
}

Result<FeatureGates> FeatureGates::Create(const std::map<std::string, bool>& overrides) {
  FeatureGates gates;
  for (const auto& [group, stage] : {std::pair{"AllAlpha", GateStage::kAlpha}, {"AllBeta", GateStage::kBeta}}) {
    const auto it = overrides.find(group);
    if (it == overrides.end()) continue;
    for (const GateSpec& spec : kGateSpecs) {
      if (spec.stage == stage && !spec.locked) gates.Set(spec.gate, it->second);
    }
  }

  std::vector<std::string> errors;
  for (const auto& [name, enabled] : overrides) {
    if (name == "AllAlpha" || name == "AllBeta") continue;
    const GateSpec* spec = FindSpec(name);
    if (spec == nullptr) return Invalid(fmt::format("unrecognized feature gate: {}", name));
    if (spec->locked && spec->enabled != enabled) {
      errors.push_back(
          fmt::format("cannot set feature gate {} to {}, feature is locked to {}", name, enabled, spec->enabled));
    }
    gates.Set(spec->gate, enabled);
  }
  if (errors.empty()) errors = UnmetDependencies(gates);
  if (!errors.empty()) return std::unexpected(Join(errors));
  return gates;
}

}  // namespace berth::framework
