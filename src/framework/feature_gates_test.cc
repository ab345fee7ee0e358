// SPDX-License-Identifier: Apache-2.0
#include "framework/feature_gates.h"

#include <gtest/gtest.h>

namespace berth::framework {
namespace {

std::string ErrorOf(const std::map<std::string, bool>& overrides) {
  const Result<FeatureGates> gates = FeatureGates::Create(overrides);
  return gates ? "" : gates.error().message;
}

TEST(FeatureGates, TableIsIndexedByGate) {
  const std::span<const GateSpec> specs = GateSpecs();

  ASSERT_EQ(specs.size(), kGateCount);
  for (size_t i = 0; i < specs.size(); ++i) {
    SCOPED_TRACE(specs[i].name);
    EXPECT_EQ(static_cast<size_t>(specs[i].gate), i);
    EXPECT_TRUE(!specs[i].locked || specs[i].stage == GateStage::kStable);
    EXPECT_TRUE(specs[i].stage != GateStage::kAlpha || !specs[i].enabled);
  }
}

TEST(FeatureGates, DefaultsAreThoseOfTheRelease) {
  const FeatureGates gates;

  EXPECT_TRUE(gates.Enabled(Gate::kDynamicResourceAllocation));
  EXPECT_TRUE(gates.Enabled(Gate::kStorageCapacityScoring));
  EXPECT_FALSE(gates.Enabled(Gate::kGenericWorkload));
  EXPECT_FALSE(gates.Enabled(Gate::kDRAFractionalCapacityRange));
  EXPECT_EQ(FeatureGates::Create({}), gates);
}

TEST(FeatureGates, OverridesWinOverTheirGroup) {
  const auto gates =
      FeatureGates::Create({{"AllBeta", false}, {"PodLevelResources", true}, {"DRADeviceTaintRules", false}});

  ASSERT_TRUE(gates.has_value());
  EXPECT_TRUE(gates->Enabled(Gate::kPodLevelResources));
  EXPECT_FALSE(gates->Enabled(Gate::kOpportunisticBatching));
  EXPECT_FALSE(gates->Enabled(Gate::kDRADeviceTaintRules));
  EXPECT_TRUE(gates->Enabled(Gate::kDRADeviceTaints));
}

TEST(FeatureGates, RefusesWhatCannotBeSet) {
  EXPECT_EQ(ErrorOf({{"Foo", true}}), "unrecognized feature gate: Foo");
  EXPECT_EQ(ErrorOf({{"ImageVolume", true}}), "");
  EXPECT_EQ(ErrorOf({{"ImageVolume", false}}),
            "cannot set feature gate ImageVolume to false, feature is locked to true");
  EXPECT_EQ(ErrorOf({{"CompositePodGroup", true}}),
            "CompositePodGroup is enabled, but depends on features that are disabled: "
            "[GenericWorkload TopologyAwareWorkloadScheduling]");
  EXPECT_EQ(
      ErrorOf({{"PodLevelResources", false},
               {"InPlacePodLevelResourcesVerticalScaling", false},
               {"PodLevelResourcesFixKubeletQOSClass", false}}),
      "PodLevelResourcesFixDefaulting is enabled, but depends on features that are disabled: [PodLevelResources]");
  EXPECT_EQ(ErrorOf({{"AllAlpha", true}, {"AllBeta", true}}), "");
}

}  // namespace
}  // namespace berth::framework
