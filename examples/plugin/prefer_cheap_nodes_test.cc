// SPDX-License-Identifier: Apache-2.0
#include "prefer_cheap_nodes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cluster/test_builders.h"
#include "plugins/helpers/plugin_trial.h"

namespace example {
namespace {

using berth::api::Quantity;
using berth::cluster::NodeBuilder;
using berth::cluster::PodBuilder;
using berth::framework::ExtensionPoint;
using berth::framework::FeatureGates;
using berth::framework::OpaqueArgs;
using berth::framework::PluginArgs;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Pair;

constexpr const char* kPrice = "example.com/hourly-price";

berth::Result<std::unique_ptr<berth::framework::Plugin>> Make(std::string json) {
  const PluginArgs args = OpaqueArgs{std::move(json)};
  const FeatureGates gates;
  return PreferCheapNodes::Create({args, gates});
}

TEST(PreferCheapNodes, TakesPartInFilterAndScore) {
  EXPECT_EQ(berth::PointsOf<PreferCheapNodes>(),
            (berth::framework::PointSet{ExtensionPoint::kFilter, ExtensionPoint::kScore}));
}

TEST(PreferCheapNodes, CheapNodesScoreHigh) {
  berth::cluster::Cluster cluster;
  cluster.AddNode(NodeBuilder("cheap").Label(kPrice, "0.1"));
  cluster.AddNode(NodeBuilder("dear").Label(kPrice, "0.4"));
  cluster.AddNode(NodeBuilder("free").Label(kPrice, "0"));
  berth::plugins::PluginTrial trial(cluster, PodBuilder("pod"));

  EXPECT_THAT(trial.Score(PreferCheapNodes({})), ElementsAre(Pair("cheap", 75), Pair("dear", 0), Pair("free", 100)));
}

TEST(PreferCheapNodes, NodesAboveTheMaximumAreTurnedDown) {
  berth::cluster::Cluster cluster;
  cluster.AddNode(NodeBuilder("cheap").Label("cost", "500m"));
  cluster.AddNode(NodeBuilder("dear").Label("cost", "0.501"));
  cluster.AddNode(NodeBuilder("odd").Label("cost", "much"));
  cluster.AddNode(NodeBuilder("silent"));
  berth::plugins::PluginTrial trial(cluster, PodBuilder("pod"));
  const PreferCheapNodes plugin({.price_label = "cost", .max_price = Quantity::FromMilli(500)});

  EXPECT_THAT(trial.Filter(plugin),
              ElementsAre(Pair("dear", "UnschedulableAndUnresolvable: node(s) were too expensive"),
                          Pair("odd", "UnschedulableAndUnresolvable: node(s) had no price"),
                          Pair("silent", "UnschedulableAndUnresolvable: node(s) had no price")));
}

TEST(PreferCheapNodes, WrongArgumentsAreNamed) {
  EXPECT_TRUE(Make("{}").has_value());
  EXPECT_EQ(Make(R"({"priceLabel": 7})").error().message, "priceLabel: expected a string, found 7");
  EXPECT_THAT(Make(R"({"maxPrice": "much"})").error().message, HasSubstr("maxPrice: "));
}

}  // namespace
}  // namespace example
