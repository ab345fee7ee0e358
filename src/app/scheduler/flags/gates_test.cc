// SPDX-License-Identifier: Apache-2.0
#include "app/scheduler/flags/gates.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "app/scheduler/flags/known_gates.h"

namespace berth::scheduler_app {
namespace {

using framework::Gate;

Result<GateSettings> Resolve(const std::vector<std::string>& gates, const EffectiveVersion& version = {}) {
  return ResolveGates({{"", gates}}, version);
}

std::string ErrorOf(const std::vector<std::string>& gates, const EffectiveVersion& version = {}) {
  const auto settings = Resolve(gates, version);
  return settings ? "" : settings.error().message;
}

TEST(Gates, SchedulerGatesAreAllKnownWithTheSameDefault) {
  const GateSettings settings = ResolveGates({}, {}).value();

  EXPECT_EQ(settings.scheduler, framework::FeatureGates());
  for (const framework::GateSpec& spec : framework::GateSpecs()) {
    SCOPED_TRACE(spec.name);
    const KnownGate* gate = FindKnownGate(spec.name);
    ASSERT_NE(gate, nullptr);
    const char stage = gate->stages.back();
    EXPECT_EQ(std::isupper(stage) != 0, spec.enabled);
    EXPECT_EQ(std::string_view("lLxX").contains(stage), spec.locked);
  }
  for (const KnownGate& gate : KnownGates()) EXPECT_EQ(gate.stages.size(), 4U) << gate.name;
}

TEST(Gates, OverridesReachTheSchedulersGates) {
  const GateSettings settings = Resolve({"SchedulerPopFromBackoffQ=false", "ContainerCheckpoint=0"}).value();

  EXPECT_FALSE(settings.scheduler.Enabled(Gate::kSchedulerPopFromBackoffQ));
  EXPECT_TRUE(settings.scheduler.Enabled(Gate::kSchedulerAsyncPreemption));
  EXPECT_FALSE(settings.Enabled("ContainerCheckpoint"));
  EXPECT_TRUE(CheckImplemented(settings));
}

TEST(Gates, GroupsLeaveNamedGatesAlone) {
  const GateSettings settings = Resolve({"AllBeta=false", "PodLevelResources=true"}).value();

  EXPECT_TRUE(settings.scheduler.Enabled(Gate::kPodLevelResources));
  EXPECT_FALSE(settings.scheduler.Enabled(Gate::kSchedulerPopFromBackoffQ));
}

TEST(Gates, ErrorsAreUpstreams) {
  EXPECT_EQ(ErrorOf({"X"}), "missing bool value for X");
  EXPECT_EQ(ErrorOf({"X=true"}), "unrecognized feature gate: X");
  EXPECT_EQ(ErrorOf({"ImageVolume=false"}), "cannot set feature gate ImageVolume to false, feature is locked to true");
  EXPECT_EQ(ErrorOf({"WorkloadWithJob=true"}),
            "WorkloadWithJob is enabled, but depends on features that are disabled: [GenericWorkload]");
  EXPECT_EQ(
      ErrorOf({"SchedulerPreQueueingHints=true"}, {.emulation = {1, 36}, .min_compatibility = {1, 35}}),
      "cannot set feature gate SchedulerPreQueueingHints to true, feature is PreAlpha at emulated version 1.36, min "
      "compatibility version 1.35");
  EXPECT_EQ(ResolveGates({{"x", {"A=true"}}}, {}).error().message, "component not registered: x");
  EXPECT_TRUE(ResolveGates({{"kube", {"GenericWorkload=true"}}}, {}));
  EXPECT_FALSE(ResolveGates({{"", {"GenericWorkload=true"}}, {"kube", {"GenericWorkload=true"}}}, {}));
}

TEST(Gates, WhatBerthDoesNotDoIsRefused) {
  const GateSettings settings = Resolve({"CoordinatedLeaderElection=true"}).value();

  EXPECT_TRUE(settings.scheduler.Enabled(Gate::kCoordinatedLeaderElection));
  EXPECT_EQ(CheckImplemented(settings).error().message,
            "feature gates that Berth does not implement: CoordinatedLeaderElection=true (see docs/divergences.md)");
}

TEST(Gates, ValuesOfTheFlagAddUp) {
  const Result<GateSettings> settings =
      ResolveGateFlags({"GenericWorkload=true,CompositePodGroup=true", "TopologyAwareWorkloadScheduling=true"});

  ASSERT_TRUE(settings) << settings.error().message;
  EXPECT_TRUE(settings->scheduler.Enabled(Gate::kCompositePodGroup));
  EXPECT_EQ(ResolveGateFlags({"CompositePodGroup=true"}).error().message,
            "--feature-gates: " + ErrorOf({"CompositePodGroup=true"}, EffectiveVersion()));
  EXPECT_FALSE(ResolveGateFlags({"CoordinatedLeaderElection=true"}));
}

TEST(Gates, HelpListsAlphaAndBetaGatesByName) {
  const std::vector<std::string> help = GateHelp();

  EXPECT_TRUE(std::ranges::is_sorted(help));
  EXPECT_NE(std::ranges::find(help, "kube:AtomicFIFO=true|false (BETA - default=true)"), help.end());
  EXPECT_EQ(std::ranges::find_if(help, [](const std::string& line) { return line.contains("ImageVolume="); }),
            help.end());
}

TEST(Versions, EmulatedVersionsAreCheckedAgainstTheirRange) {
  EXPECT_EQ(CheckRanges(ResolveVersions({"kube=1.36"}, {}).value()), std::vector<std::string>());
  EXPECT_EQ(CheckRanges(ResolveVersions({"1.20"}, {}).value()),
            (std::vector<std::string>{"emulation version 1.20 is not between [1.34, 1.37.0]",
                                      "minCompatibilityVersion version 1.34 is not between [1.34, 1.20]"}));
  EXPECT_EQ(ResolveVersions({"1.36.1"}, {}).error().message, "patch version not allowed, got: kube=1.36.1");
  EXPECT_EQ(ResolveVersions({"1.36", "1.35"}, {}).error().message, "duplicate version flag, kube=1.36 and kube=1.35");
  EXPECT_EQ(ResolveVersions({}, {"x"}).error().message, "could not parse \"x\" as version");
  EXPECT_EQ(ResolveVersions({"1"}, {}).error().message, "illegal version string \"1\"");
}

TEST(Versions, OnlyOurOwnReleaseCanBeReported) {
  EXPECT_TRUE(CheckReportedVersion("v1.37.1-mine.2+build"));
  EXPECT_EQ(CheckReportedVersion("v1.36.0").error().message,
            "version \"v1.36.0\" must match major/minor/patch of default version \"v1.37.1\"");
  EXPECT_FALSE(CheckReportedVersion("v1.37.1_x"));
}

}  // namespace
}  // namespace berth::scheduler_app
