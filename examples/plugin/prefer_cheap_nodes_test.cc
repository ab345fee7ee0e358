// SPDX-License-Identifier: Apache-2.0
#include "prefer_cheap_nodes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cluster/test_builders.h"
#include "config/config.h"
#include "plugins/helpers/plugin_trial.h"
#include "plugins/registry.h"

namespace example {
namespace {

using berth::api::Quantity;
using berth::cluster::NodeBuilder;
using berth::cluster::PodBuilder;
using berth::framework::ExtensionPoint;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Pair;

constexpr const char* kPrice = "example.com/hourly-price";

// What is wrong with a configuration that gives the plugin these arguments.
std::string ErrorOf(const std::string& args) {
  berth::framework::Registry plugins = berth::plugins::BuiltIn();
  EXPECT_TRUE(plugins.Add<PreferCheapNodes>());
  const std::string text = R"({"apiVersion": "kubescheduler.config.k8s.io/v1", "kind": "KubeSchedulerConfiguration",
      "profiles": [{"plugins": {"multiPoint": {"enabled": [{"name": "PreferCheapNodes"}]}},
                    "pluginConfig": [{"name": "PreferCheapNodes", "args": )" +
                           args + "}]}]}";
  const auto loaded = berth::config::Load(text, berth::framework::FeatureGates(), plugins);
  return loaded ? "" : loaded.error().message;
}

TEST(PreferCheapNodes, TakesPartInFilterAndScore) {
  EXPECT_EQ(berth::framework::PointsOf<PreferCheapNodes>(),
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
  const std::string entry = "decoding .profiles[0].pluginConfig[0]: ";
  EXPECT_EQ(ErrorOf("{}"), "");
  EXPECT_EQ(
      ErrorOf(R"({"priceLabel": 7})"),
      entry + R"(decoding args for plugin PreferCheapNodes: field priceLabel: expected a string, got a number "7")");
  EXPECT_THAT(ErrorOf(R"({"maxPrice": "much"})"), HasSubstr("field maxPrice: expected a quantity"));
  EXPECT_THAT(ErrorOf(R"({"maxCost": "1"})"), HasSubstr(R"(unknown field "maxCost")"));
  EXPECT_EQ(ErrorOf(R"({"maxPrice": "-1"})"),
            "profiles[0].pluginConfig[0].args.maxPrice: Invalid value: -1: must be zero or positive");
}

TEST(PreferCheapNodes, ArgumentsAreWrittenAsTheyWereRead) {
  PreferCheapNodes::Args args;
  args.max_price = Quantity::FromMilli(500);

  EXPECT_EQ(berth::framework::PluginArgs(args).Json(),
            R"({"priceLabel":"example.com/hourly-price","maxPrice":"500m"})");
}

}  // namespace
}  // namespace example
