// SPDX-License-Identifier: Apache-2.0
#include "scheduler/node_search.h"

#include <gtest/gtest.h>

#include <fmt/format.h>

#include "cluster/test_builders.h"
#include "plugins/registry.h"

namespace berth::scheduler {
namespace {

using cluster::NodeBuilder;
using cluster::PodBuilder;

TEST(FeasibleNodesToFind, FollowsTheFloorTheAdaptivePercentageAndTheSetting) {
  struct Case {
    int32_t percentage;
    int32_t nodes;
    int32_t want;
  };
  const Case cases[] = {
      {0, 10, 10},     {0, 99, 99},     {0, 100, 100},     {0, 200, 100},  {0, 1000, 420},
      {0, 5000, 500},  {0, 6000, 300},  {0, 10'000, 500},  {30, 99, 99},   {30, 100, 100},
      {30, 1000, 300}, {70, 1000, 700}, {100, 1000, 1000}, {1, 5000, 100}, {50, 5000, 2500},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(fmt::format("{} % of {}", c.percentage, c.nodes));
    EXPECT_EQ(FeasibleNodesToFind(c.percentage, c.nodes), c.want);
  }
}

// A cluster of `nodes` nodes without zones, of which every `tainted_every`-th is cordoned.
struct Fixture {
  Fixture(int nodes, std::optional<int32_t> profile_percentage, bool scores, int cordoned_every = 0) {
    framework::ProfileConfiguration configuration;
    configuration.percentage_of_nodes_to_score = profile_percentage;
    configuration.plugins.multi_point.enabled = {{"PrioritySort"}, {"DefaultBinder"}, {"NodeUnschedulable"}};
    if (scores) configuration.plugins.multi_point.enabled.push_back({"ImageLocality"});
    profile = framework::Profile::Create(configuration, plugins::BuiltIn(), framework::FeatureGates()).value();
    for (int i = 0; i < nodes; ++i) {
      NodeBuilder node(fmt::format("n{:04}", i));
      if (cordoned_every != 0 && i % cordoned_every == 0) node.Unschedulable();
      cluster.AddNode(node);
    }
    pod = cluster.MakePod(PodBuilder("p").Build());
  }

  // Names of the first and last node found, and how many were found and rejected.
  std::string Run(NodeSearch& search) {
    framework::Cycle cycle(pod, cluster, chooser, buffers, profile->plugin_count());
    cycle.candidates().Reset({}, cluster.nodes().slot_limit());
    (void)profile->RunPreFilter(cycle);
    search.Run(*profile, cycle, cluster.order());
    const auto found = cycle.candidates().nodes();
    const auto name = [&](cluster::NodeSlot slot) { return cluster.nodes().name[slot.index]; };
    return fmt::format("{}..{} found {} rejected {}", name(found.front()), name(found.back()), found.size(),
                       cycle.candidates().rejected().size());
  }

  cluster::Cluster cluster;
  std::unique_ptr<framework::Profile> profile;
  cluster::PodPtr pod;
  framework::SmallestNameChooser chooser;
  framework::CycleBuffers buffers;
};

TEST(NodeSearch, UnsetPercentageLooksAtAllNodes) {
  Fixture fixture(300, std::nullopt, true);
  NodeSearch search(std::nullopt);

  EXPECT_EQ(fixture.Run(search), "n0000..n0299 found 300 rejected 0");
}

TEST(NodeSearch, NextSearchGoesOnWhereTheLastOneEnded) {
  Fixture fixture(300, std::nullopt, true);
  NodeSearch search(40);

  EXPECT_EQ(fixture.Run(search), "n0000..n0119 found 120 rejected 0");
  EXPECT_EQ(search.next_start(), 120u);
  EXPECT_EQ(fixture.Run(search), "n0120..n0239 found 120 rejected 0");
  EXPECT_EQ(fixture.Run(search), "n0240..n0059 found 120 rejected 0");
  EXPECT_EQ(search.next_start(), 60u);
}

TEST(NodeSearch, RejectedNodesUpToTheEndOfTheSearchCountAsLookedAt) {
  Fixture fixture(300, std::nullopt, true, 3);  // n0000, n0003, ... are cordoned.
  NodeSearch search(40);

  // 120 feasible nodes end at n0179; n0180 is rejected too before n0181 ends the search.
  EXPECT_EQ(fixture.Run(search), "n0001..n0179 found 120 rejected 61");
  EXPECT_EQ(search.next_start(), 181u);
}

TEST(NodeSearch, ProfileOverridesTheGlobalPercentage) {
  Fixture fixture(300, 100, true);
  NodeSearch search(40);

  EXPECT_EQ(fixture.Run(search), "n0000..n0299 found 300 rejected 0");
}

TEST(NodeSearch, OneNodeIsEnoughWhereNothingScores) {
  Fixture fixture(300, 0, false);
  NodeSearch search(std::nullopt);

  EXPECT_EQ(fixture.Run(search), "n0000..n0000 found 1 rejected 0");
}

}  // namespace
}  // namespace berth::scheduler
