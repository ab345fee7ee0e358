// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "cluster/test_builders.h"
#include "framework/profile.h"
#include "framework/test_sort_and_bind.h"

namespace berth::framework {
namespace {

// Gives every node the score that its name ends with.
class FixedScore : public Plugin, public ScorePlugin {
 public:
  explicit FixedScore(std::string_view name) : name_(name), score_(std::stoi(name_.substr(name_.find(':') + 1))) {}
  std::string_view name() const override { return name_; }
  Status ScoreNode(Cycle&, NodeSlot, int64_t& score) const override {
    score = score_;
    return Status::Success();
  }

 private:
  std::string name_;
  int64_t score_;
};

Result<std::unique_ptr<Plugin>> MakeScore(const PluginContext& context) {
  return std::make_unique<FixedScore>(context.name);
}

// The total of a node to which one plugin gives `score` with weight 3, or the error.
std::string TotalOf(int score) {
  const std::string name = fmt::format("Fixed:{}", score);
  Registry registry;
  PluginRow row = RowOf<FixedScore>("Fixed", MakeScore);
  row.several = true;
  EXPECT_TRUE(registry.Add(std::move(row)).has_value());
  EXPECT_TRUE(registry.Add<SortAndBind>().has_value());
  ProfileConfiguration configuration;
  EnableSortAndBind(configuration);
  configuration.plugins[ExtensionPoint::kScore].enabled = {{name, 3}};
  const auto profile = Profile::Create(configuration, registry, FeatureGates()).value();
  cluster::Cluster cluster;
  cluster.AddNode(cluster::NodeBuilder("a"));
  SmallestNameChooser chooser;
  CycleBuffers buffers;
  Cycle cycle(cluster.MakePod(cluster::PodBuilder("p")), cluster, chooser, buffers, profile->plugin_count());
  ScoreBoard board;
  const Status status = profile->RunScores(cycle, cluster.order(), board);
  return status.ok() ? fmt::format("{}", board.totals.at(0)) : status.message();
}

TEST(ProfileScore, ScoresFromNoughtToAHundredCountTimesTheirWeight) {
  EXPECT_EQ(TotalOf(0), "0");
  EXPECT_EQ(TotalOf(100), "300");
}

TEST(ProfileScore, AScoreOutOfRangeIsAnError) {
  EXPECT_EQ(TotalOf(101),
            "plugin \"Fixed:101\" returns an invalid score 101, it should in the range of [0, 100] after normalizing");
  EXPECT_EQ(TotalOf(-1),
            "plugin \"Fixed:-1\" returns an invalid score -1, it should in the range of [0, 100] after normalizing");
}

}  // namespace
}  // namespace berth::framework
