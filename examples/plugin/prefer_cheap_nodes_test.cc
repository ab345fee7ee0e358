// SPDX-License-Identifier: Apache-2.0
#include "prefer_cheap_nodes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cluster/test_builders.h"
#include "plugins/helpers/plugin_trial.h"
#include "price_scheduler.h"

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

std::string Configuration(const std::string& args) {
  return "apiVersion: kubescheduler.config.k8s.io/v1\n"
         "kind: KubeSchedulerConfiguration\n"
         "profiles: [{plugins: {multiPoint: {enabled: [{name: PreferCheapNodes, weight: 10}]}},"
         " pluginConfig: [{name: PreferCheapNodes, args: " +
         args + "}]}]\n";
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
  const auto scheduler = MakePriceScheduler(Configuration("{maxPrice: much}"));
  ASSERT_FALSE(scheduler.has_value());
  EXPECT_THAT(scheduler.error().message, HasSubstr("initializing plugin \"PreferCheapNodes\": maxPrice: "));
}

TEST(PriceScheduler, FillsTheCheapestNodeFirst) {
  const auto scheduler = MakePriceScheduler(Configuration("{maxPrice: '0.5'}"));
  ASSERT_TRUE(scheduler.has_value()) << scheduler.error().message;
  berth::scheduler::Rehearsal& core = **scheduler;
  core.Put(NodeBuilder("n1").Capacity("4", "16Gi").Label(kPrice, "0.4").Build());
  core.Put(NodeBuilder("n2").Capacity("4", "16Gi").Label(kPrice, "0.1").Build());
  core.Put(NodeBuilder("n3").Capacity("64", "256Gi").Label(kPrice, "2.5").Build());
  for (const char* name : {"a", "b", "c"}) {
    core.Put(PodBuilder(name).SchedulerName("default-scheduler").Request("cpu", "3").Build());
  }

  EXPECT_THAT(ScheduleAll(core),
              ElementsAre("default/a -> n2", "default/b -> n1",
                          HasSubstr("0/3 nodes are available: 1 node(s) were too expensive, 2 Insufficient cpu.")));
}

}  // namespace
}  // namespace example
