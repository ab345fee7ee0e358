// SPDX-License-Identifier: Apache-2.0
#include "plugins/image_locality/image_locality.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "plugins/helpers/plugin_trial.h"

namespace berth::plugins {
namespace {

using cluster::NodeBuilder;
using cluster::PodBuilder;
using testing::ElementsAre;
using testing::Pair;

constexpr int64_t kMebibyte = 1024 * 1024;

TEST(ImageLocality, NodesWithLargerSharesOfTheImagesScoreHigher) {
  cluster::Cluster cluster;
  cluster.AddNode(NodeBuilder("a").Image("app:1", 400 * kMebibyte).Image("registry:5000/db:latest", 1000 * kMebibyte));
  cluster.AddNode(NodeBuilder("b").Image("app:1", 999 * kMebibyte));
  cluster.AddNode(NodeBuilder("c"));
  cluster.AddNode(NodeBuilder("d"));

  // The size of app is the one that node a reported: 400 * 2/4 = 200 MiB on a and b; db adds 250 MiB on a.
  PluginTrial one(cluster, PodBuilder("p").Image("app:1"));
  EXPECT_THAT(one.Score(ImageLocality()), ElementsAre(Pair("a", 18), Pair("b", 18), Pair("c", 0), Pair("d", 0)));

  PodBuilder pod = PodBuilder("p").Image("app:1").AddVolume(api::Volume::Source::kImage, "registry:5000/db");
  PluginTrial two(cluster, pod);
  EXPECT_THAT(two.Score(ImageLocality()), ElementsAre(Pair("a", 21), Pair("b", 8), Pair("c", 0), Pair("d", 0)));
}

TEST(ImageLocality, UnknownAndTinyImagesDoNotCount) {
  cluster::Cluster cluster;
  cluster.AddNode(NodeBuilder("a").Image("tiny:latest", 22 * kMebibyte));

  PluginTrial tiny(cluster, PodBuilder("p").Image("tiny"));
  EXPECT_THAT(tiny.Score(ImageLocality()), ElementsAre(Pair("a", 0)));

  PluginTrial unknown(cluster, PodBuilder("p").Image("other"));
  EXPECT_THAT(unknown.Score(ImageLocality()), ElementsAre(Pair("a", 0)));
}

TEST(ImageLocality, ScoreEndsAtTheMaximum) {
  cluster::Cluster cluster;
  cluster.AddNode(NodeBuilder("a").Image("huge:1", 5000 * kMebibyte));
  PluginTrial trial(cluster, PodBuilder("p").Image("huge:1"));

  EXPECT_THAT(trial.Score(ImageLocality()), ElementsAre(Pair("a", 100)));
}

TEST(ImageLocality, AbsurdSizesDoNoHarm) {
  cluster::Cluster cluster;
  cluster.AddNode(NodeBuilder("a").Image("huge:1", INT64_MAX));
  PluginTrial trial(cluster, PodBuilder("p").Image("huge:1").Container("again").Image("huge:1"));

  EXPECT_THAT(trial.Score(ImageLocality()), ElementsAre(Pair("a", 0)));
}

}  // namespace
}  // namespace berth::plugins
