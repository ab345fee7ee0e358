// SPDX-License-Identifier: Apache-2.0
#include "scheduler/algorithm.h"

#include <gtest/gtest.h>

#include "cluster/test_builders.h"
#include "plugins/registry.h"

namespace berth::scheduler {
namespace {

using cluster::NodeBuilder;
using cluster::PodBuilder;

api::Pod PodForNode(const std::string& node) {
  PodBuilder pod("p");
  api::NodeSelectorTerm term;
  term.match_fields.push_back({.key = "metadata.name", .op = "In", .values = {node}});
  pod.raw().spec.affinity.emplace().node_affinity.emplace().required.emplace().terms.push_back(std::move(term));
  return pod;
}

TEST(Algorithm, NodesLeftOutByPreFilterAlsoBlameWhoRejectedTheNominatedNode) {
  framework::ProfileConfiguration configuration;
  configuration.plugins.multi_point.enabled = {
      {"PrioritySort"}, {"DefaultBinder"}, {"NodeUnschedulable"}, {"NodeAffinity"}};
  const auto profile = framework::Profile::Create(configuration, plugins::BuiltIn(), framework::FeatureGates());
  ASSERT_TRUE(profile.has_value());
  cluster::Cluster cluster;
  cluster.AddNode(NodeBuilder("a"));
  cluster.AddNode(NodeBuilder("b").Unschedulable());
  api::Pod pod = PodForNode("b");
  pod.status.nominated_node_name = "b";
  framework::SmallestNameChooser chooser;
  framework::CycleBuffers buffers;
  framework::Cycle cycle(cluster.MakePod(std::move(pod)), cluster, chooser, buffers, (*profile)->plugin_count());

  const Decision decision = Algorithm({}).Decide(**profile, cycle);

  EXPECT_EQ(decision.outcome, Outcome::kUnschedulable);
  EXPECT_EQ(decision.message,
            "0/2 nodes are available: 1 node(s) didn't satisfy plugin(s) [NodeAffinity NodeUnschedulable], "
            "1 node(s) were unschedulable.");
}

}  // namespace
}  // namespace berth::scheduler
