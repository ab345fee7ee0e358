// SPDX-License-Identifier: Apache-2.0
// The legacy plugins in a profile as a Policy asks for it.

#include "plugins/legacy/registry.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cluster/test_builders.h"
#include "framework/chooser.h"
#include "framework/profile.h"
#include "plugins/legacy/node_label.h"
#include "plugins/legacy/resource_allocation.h"
#include "plugins/legacy/service_affinity.h"
#include "plugins/registry.h"

namespace berth::plugins {
namespace {

using cluster::NodeBuilder;
using cluster::PodBuilder;
using enum framework::ExtensionPoint;

framework::Registry AllPlugins() {
  framework::Registry registry = BuiltIn();
  RegisterLegacyPlugins(registry);
  return registry;
}

framework::ProfileConfiguration PolicyProfile() {
  framework::ProfileConfiguration configuration;
  configuration.scheduler_name = "default-scheduler";
  framework::Plugins& plugins = configuration.plugins;
  plugins[kQueueSort].enabled = {{"PrioritySort"}};
  plugins[kBind].enabled = {{"DefaultBinder"}};
  plugins[kPreFilter].enabled = {{"ServiceAffinity"}};
  plugins[kFilter].enabled = {{"NodeLabel"},   {"ServiceAffinity"}, {"EBSLimits"},
                              {"GCEPDLimits"}, {"AzureDiskLimits"}, {"CinderLimits"}};
  plugins[kPreScore].enabled = {{"SelectorSpread"}};
  plugins[kScore].enabled = {{"NodeLabel", 1},
                             {"NodePreferAvoidPods", 10},
                             {"NodeResourcesLeastAllocated", 1},
                             {"NodeResourcesMostAllocated", 1},
                             {"RequestedToCapacityRatio", 1},
                             {"SelectorSpread", 1},
                             {"ServiceAffinity", 1}};
  legacy::NodeLabel::Args labels;
  labels.present_labels = {"rack"};
  labels.absent_labels_preference = {"old"};
  configuration.plugin_config = {
      {"NodeLabel", labels},
      {"NodeResourcesLeastAllocated", legacy::ResourceAllocation::Args()},
      {"NodeResourcesMostAllocated", legacy::ResourceAllocation::Args()},
      {"RequestedToCapacityRatio",
       legacy::ResourceAllocation::RatioArgs{.shape = {{0, 0}, {100, 10}}, .resources = {{"cpu", 1}}}},
      {"ServiceAffinity",
       legacy::ServiceAffinity::Args{.affinity_labels = {"rack"}, .anti_affinity_labels_preference = {"row"}}},
  };
  return configuration;
}

TEST(LegacyPlugins, WorkTogetherInAProfile) {
  const auto profile = framework::Profile::Create(PolicyProfile(), AllPlugins(), framework::FeatureGates());
  ASSERT_TRUE(profile.has_value()) << profile.error().message;
  cluster::Cluster cluster;
  cluster.AddNode(NodeBuilder("a1").Capacity("4", "4Gi").Label("rack", "a").Label("row", "1"));
  cluster.AddNode(NodeBuilder("a2").Capacity("4", "4Gi").Label("rack", "a").Label("row", "2").Label("old", ""));
  cluster.AddNode(NodeBuilder("b").Capacity("4", "4Gi").Label("rack", "b").Label("row", "1"));
  cluster.AddNode(NodeBuilder("unlabelled").Capacity("4", "4Gi"));
  api::Service service;
  service.meta.ns = "default";
  service.meta.name = "s";
  service.selector = api::Labels{{"app", "web"}};
  cluster.objects.services.Put(service);
  ASSERT_TRUE(cluster.AddPod(cluster.MakePod(PodBuilder("first").Node("a1").Label("app", "web"))).has_value());
  framework::SmallestNameChooser chooser;
  framework::CycleBuffers buffers;
  const cluster::PodPtr pod =
      cluster.MakePod(PodBuilder("p").Label("app", "web").Request("cpu", "900m").Request("memory", "824Mi"));
  framework::Cycle cycle(pod, cluster, chooser, buffers, (*profile)->plugin_count());

  ASSERT_TRUE((*profile)->RunPreFilter(cycle).status.ok());
  framework::Candidates& candidates = cycle.candidates();
  candidates.Reset(cluster.order(), cluster.nodes().slot_limit());
  (*profile)->RunFilters(cycle, candidates);
  framework::ScoreBoard board;
  ASSERT_TRUE((*profile)->RunScores(cycle, candidates.nodes(), board).ok());

  std::map<std::string, int64_t> totals;
  for (size_t i = 0; i < candidates.nodes().size(); ++i) {
    totals[cluster.nodes().name[candidates.nodes()[i].index]] = board.totals[i];
  }
  // Label, avoidance, least, most, ratio, spread, anti-affinity.
  EXPECT_EQ(totals, (std::map<std::string, int64_t>{{"a1", 100 + 1000 + 75 + 25 + 25 + 0 + 0},
                                                    {"a2", 0 + 1000 + 78 + 21 + 22 + 100 + 100}}));
}

TEST(LegacyPlugins, AreUnknownWithoutAPolicy) {
  const auto profile = framework::Profile::Create(PolicyProfile(), BuiltIn(), framework::FeatureGates());

  EXPECT_FALSE(profile.has_value());
}

}  // namespace
}  // namespace berth::plugins
