// SPDX-License-Identifier: Apache-2.0
#include "scheduler/reporter.h"

#include <gtest/gtest.h>

#include "cluster/cluster.h"
#include "cluster/test_builders.h"

namespace berth::scheduler {
namespace {

TEST(TruncateNote, KeepsAtMost1024BytesAndMarksTheCut) {
  EXPECT_EQ(TruncateNote(std::string(1024, 'x')), std::string(1024, 'x'));
  EXPECT_EQ(TruncateNote(std::string(1025, 'x')), std::string(1020, 'x') + " ...");
}

TEST(Reporter, ConditionKeepsTheWholeMessageAndTheEventIsCut) {
  cluster::Cluster cluster;
  Outbox outbox;
  const std::string message(2000, 'x');

  Reporter(outbox).Failed(cluster.MakePod(cluster::PodBuilder("a").Build()), true, message, std::nullopt);

  const std::vector<IssuedEffect> effects = outbox.Take();
  ASSERT_EQ(effects.size(), 2u);
  EXPECT_EQ(std::get<framework::RecordEvent>(effects[0].effect).note.size(), 1024u);
  EXPECT_EQ(std::get<framework::PatchPodStatus>(effects[1].effect).condition->message, message);
}

TEST(Reporter, NothingIsPatchedWhenThePodSaysItAlready) {
  cluster::Cluster cluster;
  Outbox outbox;
  api::Pod pod = cluster::PodBuilder("a").Build();
  pod.meta.generation = 3;
  api::PodCondition& condition = pod.status.conditions.emplace_back();
  condition.type = "PodScheduled";
  condition.status = "False";
  condition.reason = "Unschedulable";
  condition.message = "no room";
  condition.observed_generation = 3;
  const cluster::PodPtr told = cluster.MakePod(pod);
  Reporter reporter(outbox);

  reporter.Failed(told, true, "no room", "");
  EXPECT_EQ(outbox.Take().size(), 1u) << "only the event";
  reporter.Failed(told, true, "less room", "");
  EXPECT_EQ(outbox.Take().size(), 2u);
  reporter.Failed(told, true, "no room", "n1");
  const std::vector<IssuedEffect> effects = outbox.Take();
  ASSERT_EQ(effects.size(), 2u);
  const auto& patch = std::get<framework::PatchPodStatus>(effects[1].effect);
  EXPECT_FALSE(patch.condition.has_value());
  EXPECT_EQ(patch.nominated_node_name, "n1");
}

}  // namespace
}  // namespace berth::scheduler
