// SPDX-License-Identifier: Apache-2.0
#include "plugins/legacy/node_label.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "plugins/helpers/plugin_trial.h"

namespace berth::plugins::legacy {
namespace {

using cluster::NodeBuilder;
using cluster::PodBuilder;
using testing::ElementsAre;
using testing::Pair;

const std::string kLabelMissing = "UnschedulableAndUnresolvable: node(s) didn't have the requested labels";

void AddNodesWithLabels(cluster::Cluster& cluster) {
  cluster.AddNode(NodeBuilder("none"));
  cluster.AddNode(NodeBuilder("one").Label("disk", "ssd"));
  cluster.AddNode(NodeBuilder("both").Label("disk", "").Label("gpu", "x"));
}

std::string CreateError(const framework::PluginArgs& args, Release release) {
  const framework::FeatureGates gates;
  const auto plugin = NodeLabel::Create({args, gates}, release);
  return plugin ? "" : plugin.error().message;
}

TEST(NodeLabel, FilterAsksForTheKeysNotTheValues) {
  cluster::Cluster cluster;
  AddNodesWithLabels(cluster);
  PluginTrial trial(cluster, PodBuilder("p"));

  EXPECT_THAT(trial.Filter(NodeLabel({.present_labels = {"disk"},
                                      .absent_labels = {"gpu"},
                                      .present_labels_preference = {},
                                      .absent_labels_preference = {}})),
              ElementsAre(Pair("both", kLabelMissing), Pair("none", kLabelMissing)));
  EXPECT_THAT(trial.Filter(NodeLabel({.present_labels = {},
                                      .absent_labels = {"kubernetes.io/hostname"},
                                      .present_labels_preference = {},
                                      .absent_labels_preference = {}})),
              ElementsAre(Pair("both", kLabelMissing), Pair("none", kLabelMissing), Pair("one", kLabelMissing)));
  EXPECT_THAT(trial.Filter(NodeLabel({})), ElementsAre());
}

TEST(NodeLabel, ScoreIsTheShareOfPreferencesThatAreMet) {
  cluster::Cluster cluster;
  AddNodesWithLabels(cluster);
  PluginTrial trial(cluster, PodBuilder("p"));

  EXPECT_THAT(trial.Score(NodeLabel({.present_labels = {},
                                     .absent_labels = {},
                                     .present_labels_preference = {"disk", "gpu"},
                                     .absent_labels_preference = {"old"}})),
              ElementsAre(Pair("both", 100), Pair("none", 33), Pair("one", 66)));
  EXPECT_THAT(trial.Score(NodeLabel({})), ElementsAre(Pair("both", 0), Pair("none", 0), Pair("one", 0)));
}

TEST(NodeLabel, LabelsThatAreToBeThereAndNotThereAreRefused) {
  NodeLabel::Args args;
  args.present_labels = {"a", "b"};
  args.absent_labels = {"c", "b"};
  EXPECT_EQ(CreateError(args, Release::kV122),
            R"(presentLabels[1]: Invalid value: "b": conflict with absentLabels[1])");

  args.present_labels_preference = {"x"};
  args.absent_labels_preference = {"x"};
  EXPECT_EQ(CreateError(args, Release::kV121),
            R"([presentLabels[1]: Invalid value: "b": conflict with absentLabels[1], )"
            R"(presentLabelsPreference[0]: Invalid value: "x": conflict with absentLabelsPreference[0]])");
}

TEST(NodeLabel, V122NeedsArguments) {
  EXPECT_EQ(CreateError({}, Release::kV122), "want args to be of type NodeLabelArgs, got <nil>");
  EXPECT_EQ(CreateError({}, Release::kV121), "");
}

}  // namespace
}  // namespace berth::plugins::legacy
