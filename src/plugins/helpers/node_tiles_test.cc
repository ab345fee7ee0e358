// SPDX-License-Identifier: Apache-2.0
// What is said of a tile of nodes at once is what is said of each node alone.

#include "plugins/helpers/node_tiles.h"

#include <gtest/gtest.h>

#include <fmt/format.h>

#include <vector>

#include "base/random.h"
#include "cluster/test_builders.h"
#include "plugins/helpers/test_run.h"
#include "plugins/node_resources_balanced_allocation/node_resources_balanced_allocation.h"
#include "plugins/node_resources_fit/node_resources_fit.h"

namespace berth::plugins {
namespace {

using cluster::NodeBuilder;
using cluster::PodBuilder;

// Tiles of usual nodes, one of nodes that have none or absurdly much of something, and a part of one.
class NodesInTiles {
 public:
  explicit NodesInTiles(Random& random) : random_(random) {
    for (uint32_t i = 0; i < 5 * kTile + 9; ++i) {
      const bool is_odd = i / kTile == 3;
      const char* const cpu = is_odd ? Any({"0", "1m", "9E", "3"}) : Any({"1", "3", "7", "64", "96100m"});
      const char* const memory = is_odd ? Any({"0", "1", "8E", "7Gi"}) : Any({"1Gi", "1000000001", "3Ti", "60Ti"});
      nodes_.push_back(NodeBuilder(fmt::format("n{}", i)).Capacity(cpu, memory, Any({"2", "3", "110"})));
      cluster_.AddNode(nodes_.back());
      for (uint32_t pod = 0; pod < 3; ++pod) AddPod(i, pod);
    }
  }

  cluster::Cluster& cluster() { return cluster_; }
  // From now on every node counts as changed, so that each is looked at alone.
  void TouchAll() {
    for (const api::Node& node : nodes_) cluster_.UpdateNode(&node, node);
  }
  PodBuilder NewPod() {
    PodBuilder pod("new");
    if (random_.Below(5) != 0) pod.Request("cpu", Any({"1m", "333m", "2", "5", "70"}));
    if (random_.Below(5) != 0) pod.Request("memory", Any({"1", "77Mi", "2Gi", "4Ti", "7E"}));
    return pod;
  }

 private:
  const char* Any(std::vector<const char*> of) { return of[random_.Below(of.size())]; }
  void AddPod(uint32_t node, uint32_t number) {
    if (random_.Below(3) == 0) return;
    PodBuilder pod(fmt::format("p{}-{}", node, number));
    pod.Node(fmt::format("n{}", node));
    if (random_.Below(4) != 0) pod.Request("cpu", Any({"1m", "100m", "999m", "4"}));
    if (random_.Below(4) != 0) pod.Request("memory", Any({"1", "100Mi", "1Gi", "1Ti"}));
    EXPECT_TRUE(cluster_.AddPod(cluster_.MakePod(pod)));
  }

  Random& random_;
  cluster::Cluster cluster_;
  std::vector<api::Node> nodes_;
};

TEST(NodeTiles, SayOfManyNodesWhatIsSaidOfEach) {
  for (uint64_t seed = 1; seed <= 40; ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed);
    NodesInTiles nodes(random);
    const api::Pod pod = nodes.NewPod();
    const NodeResourcesFit fit{NodeResourcesFit::Args{}};
    const NodeResourcesBalancedAllocation balanced{NodeResourcesBalancedAllocation::Args{}};
    TestRun<NodeResourcesFit> of_fit(fit, nodes.cluster(), pod);
    TestRun<NodeResourcesBalancedAllocation> of_balanced(balanced, nodes.cluster(), pod);

    const Texts rejections = of_fit.Filter();
    const Numbers scores = of_fit.RawScores();
    const Numbers improvements = of_balanced.RawScores();
    nodes.TouchAll();

    EXPECT_EQ(rejections, of_fit.Filter());
    EXPECT_EQ(scores, of_fit.RawScores());
    EXPECT_EQ(improvements, of_balanced.RawScores());
  }
}

TEST(NodeTiles, RefuseWhatDoublesDoNotHold) {
  std::vector<int64_t> column(kTile, int64_t{1} << 45);
  TileOfDoubles amounts;
  EXPECT_TRUE(ReadTile(column.data(), 5, 1, amounts.data()));
  EXPECT_EQ(amounts[7], 0x1p45 + 5);
  for (const int64_t odd : {int64_t{-1}, int64_t{0}, (int64_t{1} << 46) + 1}) {
    column[7] = odd;
    EXPECT_FALSE(ReadTile(column.data(), 0, 1, amounts.data())) << odd;
  }
  column[7] = 0;
  EXPECT_TRUE(ReadTile(column.data(), 0, 0, amounts.data()));
}

}  // namespace
}  // namespace berth::plugins
