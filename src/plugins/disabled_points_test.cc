// SPDX-License-Identifier: Apache-2.0
// What plugins do in a profile that disables only their PreFilter or PreScore.

#include <gtest/gtest.h>

#include "cluster/test_builders.h"
#include "framework/chooser.h"
#include "framework/profile.h"
#include "plugins/registry.h"

namespace berth::plugins {
namespace {

using cluster::NodeBuilder;
using cluster::PodBuilder;
using framework::ExtensionPoint;

// A profile of `plugin` alone, with `disabled` switched off for it.
std::unique_ptr<framework::Profile> Without(ExtensionPoint disabled, std::string_view plugin) {
  framework::ProfileConfiguration configuration;
  configuration.scheduler_name = "s";
  configuration.plugins.multi_point.enabled = {{"PrioritySort"}, {"DefaultBinder"}, {std::string(plugin), 1}};
  configuration.plugins[disabled].disabled = {{std::string(plugin)}};
  auto profile = framework::Profile::Create(configuration, BuiltIn(), framework::FeatureGates());
  EXPECT_TRUE(profile.has_value());
  return *std::move(profile);
}

// One pod on its way through a profile, in a cluster of two nodes.
class ProfileRun {
 public:
  ProfileRun(const framework::Profile& profile, api::Pod pod) : profile_(profile) {
    cluster_.AddNode(NodeBuilder("a").Label("disk", "ssd"));
    cluster_.AddNode(NodeBuilder("b"));
    cycle_.emplace(cluster_.MakePod(std::move(pod)), cluster_, chooser_, buffers_, profile.plugin_count());
  }

  // The nodes left by PreFilter and Filter, or the error.
  std::string Filter() {
    EXPECT_TRUE(profile_.RunPreFilter(*cycle_).status.ok());
    framework::Candidates& candidates = cycle_->candidates();
    candidates.Reset(cluster_.order(), cluster_.nodes().slot_limit());
    profile_.RunFilters(*cycle_, candidates);
    if (!candidates.error().ok()) return candidates.error().message();
    std::string names;
    for (const cluster::NodeSlot slot : candidates.nodes()) names += cluster_.nodes().name[slot.index];
    return names;
  }

  // The nodes' totals, or the error.
  std::string Score() {
    framework::ScoreBoard board;
    const framework::Status status = profile_.RunScores(*cycle_, cluster_.order(), board);
    return status.ok() ? testing::PrintToString(board.totals) : status.message();
  }

  framework::Status Reserve() {
    framework::Effects effects;
    return profile_.RunReserve(*cycle_, cluster_.order().front(), effects);
  }

 private:
  const framework::Profile& profile_;
  cluster::Cluster cluster_;
  framework::SmallestNameChooser chooser_;
  framework::CycleBuffers buffers_;
  std::optional<framework::Cycle> cycle_;
};

TEST(DisabledPreFilter, MakesFilterFailWhereItNeedsTheState) {
  const std::pair<std::string, std::string> cases[] = {
      {"NodePorts", "reading \"PreFilterNodePorts\" from cycleState: not found"},
      {"NodeResourcesFit", "error reading \"PreFilterNodeResourcesFit\" from cycleState: not found"},
      {"NodeDeclaredFeatures", "error reading \"PreFilterNodeDeclaredFeatures\" from cycle-state: not found"},
      {"VolumeRestrictions", "cannot read \"PreFilterVolumeRestrictions\" from cycleState"},
      {"VolumeBinding", "not found"},
      {"PodTopologySpread", "reading \"PreFilterPodTopologySpread\" from cycleState: not found"},
      {"InterPodAffinity", "error reading \"PreFilterInterPodAffinity\" from cycleState: not found"},
      {"DynamicResources", "not found"},
  };
  for (const auto& [plugin, error] : cases) {
    SCOPED_TRACE(plugin);
    const auto profile = Without(ExtensionPoint::kPreFilter, plugin);

    EXPECT_EQ(ProfileRun(*profile, PodBuilder("p")).Filter(), "running \"" + plugin + "\" filter plugin: " + error);
  }
}

TEST(DisabledPreFilter, DoesNotMatterWhereFilterReadsThePodItself) {
  for (const std::string plugin : {"TaintToleration", "NodeAffinity", "VolumeZone", "NodeVolumeLimits"}) {
    SCOPED_TRACE(plugin);
    const auto profile = Without(ExtensionPoint::kPreFilter, plugin);

    EXPECT_EQ(ProfileRun(*profile, PodBuilder("p")).Filter(), "ab");
  }
  const auto affinity = Without(ExtensionPoint::kPreFilter, "NodeAffinity");
  EXPECT_EQ(ProfileRun(*affinity, PodBuilder("p").NodeSelector("disk", "ssd")).Filter(), "a");
}

TEST(DisabledPreFilter, MakesReserveFailWhereItNeedsTheState) {
  for (const std::string plugin : {"VolumeBinding", "DynamicResources"}) {
    SCOPED_TRACE(plugin);
    const auto profile = Without(ExtensionPoint::kPreFilter, plugin);

    EXPECT_EQ(ProfileRun(*profile, PodBuilder("p")).Reserve().message(),
              "running Reserve plugin \"" + plugin + "\": not found");
  }
}

TEST(DisabledPreScore, MakesScoreFailWhereItNeedsTheState) {
  const std::pair<std::string, std::string> cases[] = {
      {"TaintToleration", "failed to read \"PreScoreTaintToleration\" from cycleState: not found"},
      {"PodTopologySpread", "error reading \"PreScorePodTopologySpread\" from cycleState: not found"},
      {"InterPodAffinity", "failed to read \"PreScoreInterPodAffinity\" from cycleState: not found"},
  };
  for (const auto& [plugin, error] : cases) {
    SCOPED_TRACE(plugin);
    const auto profile = Without(ExtensionPoint::kPreScore, plugin);

    EXPECT_EQ(ProfileRun(*profile, PodBuilder("p")).Score(),
              "running Score plugins: plugin \"" + plugin + "\" failed with: " + error);
  }
}

TEST(DisabledPreScore, DoesNotMatterWhereScoreReadsThePodItself) {
  const auto profile = Without(ExtensionPoint::kPreScore, "NodeAffinity");

  EXPECT_EQ(ProfileRun(*profile, PodBuilder("p")).Score(), "{ 0, 0 }");
  EXPECT_EQ(ProfileRun(*profile, PodBuilder("p").PreferredNodeAffinity(3, "disk", "In", {"ssd"})).Score(),
            "{ 100, 0 }");
}

}  // namespace
}  // namespace berth::plugins
