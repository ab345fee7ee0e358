// SPDX-License-Identifier: Apache-2.0
#include "plugins/legacy/spreading.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cluster/test_builders.h"

namespace berth::plugins::legacy {
namespace {

using cluster::kNoDomain;
using testing::ElementsAre;

TEST(ScoreBySpread, GoesUpToTheMaximumAndIsTruncated) {
  std::vector<int64_t> counts = {3, 1, 0};

  ScoreBySpread(counts, std::vector<uint32_t>(3, kNoZone), 10);

  EXPECT_THAT(counts, ElementsAre(0, 6, 10));
}

TEST(ScoreBySpread, EmptyZonesAreAsGoodAsEmptyNodes) {
  std::vector<int64_t> counts = {0, 0};

  ScoreBySpread(counts, std::vector<uint32_t>{0, kNoZone}, 10);

  EXPECT_THAT(counts, ElementsAre(10, 10));
}

TEST(AddScoreByLabel, PodsOfNodesWithoutTheLabelCountAsElsewhere) {
  std::vector<double> scores(3);

  AddScoreByLabel(std::vector<int64_t>{1, 1, 2}, std::vector<cluster::DomainId>{0, 1, kNoDomain}, 10, 1, scores);

  EXPECT_THAT(scores, ElementsAre(7.5, 7.5, 0.0));
}

template <class Controller>
void PutSelecting(cluster::ObjectStore<Controller>& store, const std::string& name, api::LabelSelector selector) {
  Controller controller;
  controller.meta.ns = "default";
  controller.meta.name = name;
  controller.selector = std::move(selector);
  store.Put(std::move(controller));
}

TEST(SelectorsOf, OneBrokenSelectorDiscardsItsKind) {
  cluster::Cluster cluster;
  PutSelecting(cluster.objects.replica_sets, "a", cluster::MatchLabels({{"app", "web"}}));
  PutSelecting(cluster.objects.stateful_sets, "a", cluster::MatchLabels({{"app", "web"}}));
  const cluster::PodPtr pod = cluster.MakePod(cluster::PodBuilder("p").Label("app", "web"));
  ASSERT_EQ(SelectorsOf(*pod, cluster.objects).size(), 2);

  PutSelecting(cluster.objects.replica_sets, "b", {.match_labels = {}, .match_expressions = {{"x", "Perhaps", {}}}});

  EXPECT_EQ(SelectorsOf(*pod, cluster.objects).size(), 1);
}

}  // namespace
}  // namespace berth::plugins::legacy
