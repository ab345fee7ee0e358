// SPDX-License-Identifier: Apache-2.0
#include "plugins/legacy/resource_allocation.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "plugins/helpers/plugin_trial.h"
#include "plugins/legacy/allocation.h"

namespace berth::plugins::legacy {
namespace {

using cluster::Amounts;
using cluster::NodeBuilder;
using cluster::PodBuilder;
using testing::ElementsAre;
using testing::Pair;
using enum AllocationStrategy;

const std::vector<framework::ResourceSpec> kCpuAndMemory = {{"cpu", 1}, {"memory", 1}};
const std::vector<framework::UtilizationShapePoint> kFullIsGood = {{0, 0}, {100, 10}};

// A small node with a pod on it, a large one, and one with a gpu but without memory.
void AddSizes(cluster::Cluster& cluster) {
  cluster.AddNode(NodeBuilder("gpu").Allocatable("cpu", "4").Allocatable("example.com/gpu", "8"));
  cluster.AddNode(NodeBuilder("large").Capacity("8", "8Gi"));
  cluster.AddNode(NodeBuilder("small").Capacity("2", "4Gi"));
  const PodBuilder pod = PodBuilder("x").Node("small").Request("cpu", "500m").Request("memory", "1Gi");
  ASSERT_TRUE(cluster.AddPod(cluster.MakePod(pod)).has_value());
}

std::map<std::string, int64_t> AllocationScores(cluster::Cluster& cluster, const PodBuilder& pod,
                                                const ResourceAllocation& plugin) {
  return PluginTrial(cluster, pod).Score(plugin);
}

const PodBuilder kWanting = PodBuilder("p").Request("cpu", "1").Request("memory", "1Gi");

TEST(ResourceAllocation, LeastAndMostAllocatedAreTheMeanOverResources) {
  cluster::Cluster cluster;
  AddSizes(cluster);
  const auto score = [&](AllocationStrategy strategy, Release release) {
    return AllocationScores(cluster, kWanting, ResourceAllocation(strategy, release, kCpuAndMemory));
  };

  EXPECT_THAT(score(kLeastAllocated, Release::kV122),
              ElementsAre(Pair("gpu", 75), Pair("large", 87), Pair("small", 37)));
  EXPECT_THAT(score(kMostAllocated, Release::kV122),
              ElementsAre(Pair("gpu", 25), Pair("large", 12), Pair("small", 62)));
  // v1.21 counts the memory that the node does not have.
  EXPECT_THAT(score(kLeastAllocated, Release::kV121),
              ElementsAre(Pair("gpu", 37), Pair("large", 87), Pair("small", 37)));
  EXPECT_THAT(score(kMostAllocated, Release::kV121),
              ElementsAre(Pair("gpu", 12), Pair("large", 12), Pair("small", 62)));
}

TEST(ResourceAllocation, RatioFollowsItsShape) {
  cluster::Cluster cluster;
  AddSizes(cluster);
  const auto score = [&](Release release, std::vector<framework::ResourceSpec> resources, const PodBuilder& pod) {
    return AllocationScores(cluster, pod,
                            ResourceAllocation(kRequestedToCapacityRatio, release, resources, kFullIsGood));
  };

  // 12.5 % is 12 in v1.22 and 13 in v1.21.
  EXPECT_THAT(score(Release::kV122, kCpuAndMemory, kWanting),
              ElementsAre(Pair("gpu", 25), Pair("large", 12), Pair("small", 63)));
  EXPECT_THAT(score(Release::kV121, kCpuAndMemory, kWanting),
              ElementsAre(Pair("gpu", 63), Pair("large", 13), Pair("small", 63)));
  EXPECT_THAT(
      score(Release::kV122, {{"example.com/gpu", 3}, {"cpu", 1}}, PodBuilder(kWanting).Request("example.com/gpu", "4")),
      ElementsAre(Pair("gpu", 44), Pair("large", 12), Pair("small", 75)));
  // A resource that the pod does not want.
  EXPECT_THAT(score(Release::kV122, {{"example.com/gpu", 3}, {"cpu", 1}}, kWanting),
              ElementsAre(Pair("gpu", 25), Pair("large", 12), Pair("small", 75)));
}

TEST(ResourceAllocation, TheLastWeightOfAResourceCounts) {
  cluster::Cluster cluster;
  AddSizes(cluster);

  EXPECT_THAT(
      AllocationScores(cluster, kWanting,
                       ResourceAllocation(kLeastAllocated, Release::kV122, {{"cpu", 9}, {"memory", 3}, {"cpu", 1}})),
      ElementsAre(Pair("gpu", 75), Pair("large", 87), Pair("small", 43)));
}

TEST(PodRequest, DefaultsMissingRequestsAndTakesTheLargestInitContainer) {
  const api::Pod plain = PodBuilder("p").Container("second");
  EXPECT_EQ(PodRequest(plain.spec, "cpu"), 200);
  EXPECT_EQ(PodRequest(plain.spec, "memory"), 400 * 1024 * 1024);
  EXPECT_EQ(PodRequest(plain.spec, "example.com/gpu"), 0);

  const api::Pod with_init =
      PodBuilder("p").Request("cpu", "0").InitContainer("a", Amounts({{"cpu", "700m"}})).InitContainer("b");
  EXPECT_EQ(PodRequest(with_init.spec, "cpu"), 700);
  EXPECT_EQ(PodRequest(with_init.spec, "memory"), 200 * 1024 * 1024);

  const api::Pod with_overhead = PodBuilder("p").Overhead(Amounts({{"cpu", "250m"}, {"memory", "1Ki"}}));
  EXPECT_EQ(PodRequest(with_overhead.spec, "cpu"), 101);
  EXPECT_EQ(PodRequest(with_overhead.spec, "memory"), 200 * 1024 * 1024 + 1024);
}

std::string ArgsError(AllocationStrategy strategy, const framework::PluginArgs& args,
                      Release release = Release::kV122) {
  const framework::FeatureGates gates;
  const auto plugin = ResourceAllocation::Create({args, gates}, strategy, release);
  return plugin ? "" : plugin.error().message;
}

TEST(ResourceAllocation, ArgumentsAreChecked) {
  const auto ratio = [](std::vector<framework::UtilizationShapePoint> shape, int64_t weight) {
    return ArgsError(kRequestedToCapacityRatio,
                     ResourceAllocation::RatioArgs{.shape = std::move(shape), .resources = {{"cpu", weight}}});
  };
  EXPECT_EQ(ratio(kFullIsGood, 1000), "");
  EXPECT_EQ(ratio({}, 1), "shape: Required value: at least one point must be specified");
  EXPECT_EQ(ratio(kFullIsGood, 0),
            "resources[0].weight: Invalid value: 0: resource weight of cpu not in valid range [1, inf)");
  EXPECT_EQ(ratio({{5, 1}, {5, 2}, {4, 11}, {101, -1}}, 1),
            "[shape[1].utilization: Invalid value: 5: utilization values must be sorted in increasing order, "
            "shape[2].score: Invalid value: 11: not in valid range [0, 10], "
            "shape[3].utilization: Invalid value: 101: not in valid range [0, 100], "
            "shape[3].score: Invalid value: -1: not in valid range [0, 10]]");
  EXPECT_EQ(ArgsError(kLeastAllocated, ResourceAllocation::Args{.resources = {{"cpu", 101}}}),
            "resources[0].weight: Invalid value: 101: resource weight of cpu not in valid range (0, 100]");
  EXPECT_EQ(ArgsError(kRequestedToCapacityRatio, {}),
            "want args to be of type RequestedToCapacityRatioArgs, got <nil>");
  EXPECT_EQ(ArgsError(kRequestedToCapacityRatio, {}, Release::kV121),
            "shape: Required value: at least one point must be specified");
  EXPECT_EQ(ArgsError(kLeastAllocated, {}), "want args to be of type NodeResourcesLeastAllocatedArgs, got <nil>");
  EXPECT_EQ(ArgsError(kMostAllocated, {}, Release::kV121), "");
}

}  // namespace
}  // namespace berth::plugins::legacy
