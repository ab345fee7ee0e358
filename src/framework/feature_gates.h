// SPDX-License-Identifier: Apache-2.0
// FeatureGates: which optional behaviours are on.
//
// The gates are those of Kubernetes 1.37 that concern the scheduler, with their defaults. A FeatureGates value is
// immutable and cheap to copy; what depends on a gate is handed one, there is no global.

#pragma once

#include <bitset>
#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>

#include "base/result.h"

namespace berth::framework {

// In the order of names, which is the order of kGateSpecs.
enum class Gate : uint8_t {
  kAtomicFIFO,
  kClearingNominatedNodeNameAfterBinding,
  kComponentFlagz,
  kComponentStatusz,
  kCompositePodGroup,
  kConcurrentWatchObjectDecode,
  kCoordinatedLeaderElection,
  kDRAAdminAccess,
  kDRAConsumableCapacity,
  kDRADerivedAttributes,
  kDRADeviceBindingConditions,
  kDRADeviceCompatibilityGroups,
  kDRADeviceTaintRules,
  kDRADeviceTaints,
  kDRAExtendedResource,
  kDRAFractionalCapacityRange,
  kDRAListTypeAttributes,
  kDRANodeAllocatableResources,
  kDRAOptionalNodeOperations,
  kDRAPartitionableDevices,
  kDRAPartitionableDevicesType,
  kDRAPrioritizedList,
  kDRAResourceClaimDeviceStatus,
  kDRAResourceClaimGranularStatusAuthorization,
  kDRAResourcePoolStatus,
  kDRASchedulerFilterTimeout,
  kDRAWorkloadResourceClaims,
  kDynamicResourceAllocation,
  kGenericWorkload,
  kImageVolume,
  kInOrderInformersBatchProcess,
  kInPlacePodLevelResourcesVerticalScaling,
  kInPlacePodVerticalScaling,
  kInPlacePodVerticalScalingSchedulerPreemption,
  kInterPodAffinityHostnameFastPath,
  kMatchLabelKeysInPodAffinity,
  kMatchLabelKeysInPodTopologySpread,
  kMatchLabelKeysInPodTopologySpreadSelectorMerge,
  kNodeDeclaredFeatures,
  kNodeInclusionPolicyInPodTopologySpread,
  kNominatedNodeNameForExpectation,
  kOpportunisticBatching,
  kPodGroupPreemptionPolicy,
  kPodLevelResources,
  kPodLevelResourcesFixDefaulting,
  kPodLevelResourcesFixKubeletQOSClass,
  kSchedulerAsyncAPICalls,
  kSchedulerAsyncPreemption,
  kSchedulerPopFromBackoffQ,
  kSchedulerPreQueueingHints,
  kStorageCapacityScoring,
  kTaintTolerationComparisonOperators,
  kTopologyAwareWorkloadScheduling,
  kUnlockWhileProcessingFIFO,
  kVolumeAttributesClass,
  kVolumeLimitScaling,
  kWatchListClient,
  kWorkloadWithJob,
};

inline constexpr size_t kGateCount = static_cast<size_t>(Gate::kWorkloadWithJob) + 1;

enum class GateStage : uint8_t { kAlpha, kBeta, kStable };

struct GateSpec {
  Gate gate;
  std::string_view name;
  GateStage stage;
  bool enabled;         // By default.
  bool locked = false;  // Cannot be set to anything else.
};

// All gates, sorted by name; the position is the value of the Gate.
std::span<const GateSpec> GateSpecs();

class FeatureGates {
 public:
  // The defaults.
  FeatureGates();

  // The defaults with `overrides` applied. AllAlpha and AllBeta set the gates of that stage which are not set by name.
  // Fails with `unrecognized feature gate: X`, `cannot set feature gate X to V, feature is locked to W` or, when a gate
  // is on that needs one that is off, `X is enabled, but depends on features that are disabled: [Y]`; several are
  // joined.
  static Result<FeatureGates> Create(const std::map<std::string, bool>& overrides);

  bool Enabled(Gate gate) const { return enabled_[static_cast<size_t>(gate)]; }

  bool operator==(const FeatureGates&) const = default;

 private:
  void Set(Gate gate, bool enabled) { enabled_[static_cast<size_t>(gate)] = enabled; }

  std::bitset<kGateCount> enabled_;
};

}  // namespace berth::framework
