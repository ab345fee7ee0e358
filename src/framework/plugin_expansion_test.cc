// SPDX-License-Identifier: Apache-2.0
#include "framework/plugin_expansion.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace berth::framework {
namespace {

using ::testing::ElementsAre;
using enum ExtensionPoint;

Plugins Minimal() {
  Plugins plugins;
  plugins.multi_point.enabled = {{"PrioritySort"}, {"DefaultBinder"}};
  return plugins;
}

Plugins WithMultiPoint(std::vector<PluginReference> more) {
  Plugins plugins = Minimal();
  plugins.multi_point.enabled.insert(plugins.multi_point.enabled.end(), more.begin(), more.end());
  return plugins;
}

Result<ExpandedPlugins> Expand(const Plugins& plugins) {
  Registry registry;
  for (const auto& [name, points] : std::initializer_list<std::pair<std::string_view, PointSet>>{
           {"DefaultBinder", {kBind}},
           {"ImageLocality", {kScore}},
           {"NodeAffinity", {kPreFilter, kFilter, kPreScore, kScore}},
           {"NodeName", {kPreFilter, kFilter}},
           {"NodePorts", {kPreFilter, kFilter}},
           {"PrioritySort", {kQueueSort}},
           {"TaintToleration", {kPreFilter, kFilter, kPreScore, kScore}},
           {"VolumeBinding", {kPreFilter, kFilter, kPreScore, kScore, kReserve, kPreBind}},
           {"VolumeZone", {kPreFilter, kFilter}}}) {
    EXPECT_TRUE(registry.Add({.name = std::string(name), .points = points}));
  }
  return ExpandPlugins(plugins, "s", registry);
}

std::string ErrorOf(const Plugins& plugins) {
  const auto expanded = Expand(plugins);
  return expanded ? "" : expanded.error().message;
}

std::vector<std::string> NamesAt(const Plugins& plugins, ExtensionPoint point) {
  const auto expanded = Expand(plugins);
  EXPECT_TRUE(expanded.has_value()) << (expanded ? "" : expanded.error().message);
  std::vector<std::string> names;
  if (expanded) {
    for (const ExpandedPlugin& plugin : (*expanded)[point]) names.push_back(plugin.name);
  }
  return names;
}

TEST(PluginExpansion, MultiPointPluginsTakePartWhereTheyCan) {
  const Plugins plugins = WithMultiPoint({{"VolumeBinding"}, {"NodeName"}, {"ImageLocality", 3}});

  EXPECT_THAT(NamesAt(plugins, kFilter), ElementsAre("VolumeBinding", "NodeName"));
  EXPECT_THAT(NamesAt(plugins, kPreBind), ElementsAre("VolumeBinding"));
  EXPECT_THAT(NamesAt(plugins, kPermit), ElementsAre());
  EXPECT_THAT((*Expand(plugins))[kScore],
              ElementsAre(ExpandedPlugin{"VolumeBinding", 1}, ExpandedPlugin{"ImageLocality", 3}));
}

TEST(PluginExpansion, OverridesComeFirstAndOtherListedPluginsLast) {
  Plugins plugins = WithMultiPoint({{"NodeName"}, {"NodePorts"}, {"VolumeZone"}});
  plugins[kFilter].enabled = {{"NodeAffinity"}, {"VolumeZone"}, {"NodeName"}, {"TaintToleration"}};

  EXPECT_THAT(NamesAt(plugins, kFilter),
              ElementsAre("VolumeZone", "NodeName", "NodePorts", "NodeAffinity", "TaintToleration"));
}

TEST(PluginExpansion, PointsCanDisableMultiPointPlugins) {
  Plugins plugins = WithMultiPoint({{"NodeName"}, {"NodePorts"}});
  plugins[kFilter].disabled = {{"NodeName"}};
  plugins[kPreFilter].disabled = {{"*"}};
  plugins[kPreFilter].enabled = {{"NodePorts"}};

  EXPECT_THAT(NamesAt(plugins, kFilter), ElementsAre("NodePorts"));
  EXPECT_THAT(NamesAt(plugins, kPreFilter), ElementsAre("NodePorts"));
}

TEST(PluginExpansion, WeightOfThePointWins) {
  Plugins plugins = WithMultiPoint({{"ImageLocality", 3}});
  plugins[kScore].enabled = {{"ImageLocality", 7}};

  EXPECT_THAT((*Expand(plugins))[kScore], ElementsAre(ExpandedPlugin{"ImageLocality", 7}));
}

TEST(PluginExpansion, ReportsWhatCannotBeBuilt) {
  Plugins unknown = Minimal();
  unknown[kFilter].enabled = {{"X"}};
  EXPECT_EQ(ErrorOf(unknown), R"(FilterPlugin "X" does not exist)");
  EXPECT_EQ(ErrorOf(WithMultiPoint({{"X"}})), R"(PreFilterPlugin "X" does not exist)");

  Plugins misplaced = Minimal();
  misplaced[kBind].enabled = {{"NodeName"}};
  EXPECT_EQ(ErrorOf(misplaced), R"(plugin "NodeName" does not extend BindPlugin plugin)");

  Plugins twice = Minimal();
  twice[kScore].enabled = {{"ImageLocality"}, {"ImageLocality"}};
  EXPECT_EQ(ErrorOf(twice), R"(plugin "ImageLocality" already registered as "ScorePlugin")");
  EXPECT_EQ(ErrorOf(WithMultiPoint({{"NodeName"}, {"NodeName"}})),
            R"(plugin "NodeName" already registered as "PreFilterPlugin")");

  Plugins unsorted = Minimal();
  unsorted[kQueueSort].disabled = {{"*"}};
  EXPECT_EQ(ErrorOf(unsorted), R"(only one queue sort plugin required for profile with scheduler name "s", but got 0)");

  Plugins unbound = Minimal();
  unbound[kBind].disabled = {{"DefaultBinder"}};
  EXPECT_EQ(ErrorOf(unbound), R"(at least one bind plugin is needed for profile with scheduler name "s")");

  EXPECT_EQ(ErrorOf(WithMultiPoint({{"ImageLocality", -1}, {"NodeAffinity"}})),
            "score plugins: total score of Score plugins could overflow");
}

}  // namespace
}  // namespace berth::framework
