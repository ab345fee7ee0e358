// SPDX-License-Identifier: Apache-2.0
#include "scheduler/decision_records.h"

#include <gtest/gtest.h>

#include "scheduler/test_core.h"

namespace berth::scheduler {
namespace {

using cluster::NodeBuilder;
using Queue = queue::QueueTrail::Queue;

std::vector<const AttemptRecord*> RecordsOf(World& world, std::string_view uid) {
  return world.core().records().Of(uid);
}

World RecordingWorld(RecordLimits limits = {.bytes = 1 << 20}) {
  World world;
  world.core().set_record_limits(limits);
  return world;
}

std::vector<std::string> NamesOf(World& world, const AttemptRecord& record, const NodeSet& nodes) {
  std::vector<std::string> names;
  nodes.ForEach([&](NodeSlot slot) {
    names.emplace_back(world.core().records().NameOf(record, slot, world.core().cluster().nodes()));
  });
  std::ranges::sort(names);
  return names;
}

TEST(NodeSet, HoldsFewAndManyNodes) {
  for (const size_t count : {0U, 1U, 3U, 40U, 100U}) {
    SCOPED_TRACE(count);
    std::vector<NodeSlot> slots;
    for (uint32_t i = 0; i < count; ++i) slots.push_back({i * 2});

    const NodeSet set(slots, 200);

    EXPECT_EQ(set.size(), count);
    std::vector<NodeSlot> seen;
    set.ForEach([&](NodeSlot slot) { seen.push_back(slot); });
    EXPECT_EQ(seen, slots);
    EXPECT_FALSE(set.Contains({1}));
    EXPECT_EQ(set.Contains({4}), count >= 3);
    EXPECT_FALSE(set.Contains({1000}));
  }
}

TEST(DecisionRecords, KeepsNothingWithoutRoom) {
  World world;
  world.Put(Node("n1"));
  world.Put(Pod("a").Build());

  world.ScheduleAll();

  EXPECT_TRUE(RecordsOf(world, "uid-a").empty());
}

TEST(DecisionRecords, GroupsNodesByVerdict) {
  World world = RecordingWorld();
  world.Put(NodeBuilder("small-1").Capacity("500m", "1Gi").Build());
  world.Put(NodeBuilder("small-2").Capacity("500m", "1Gi").Build());
  world.Put(NodeBuilder("tainted").Capacity("4", "8Gi").Taint("k", "v", "NoSchedule").Build());
  world.Put(Pod("a").Build());

  world.ScheduleAll();

  const auto records = RecordsOf(world, "uid-a");
  ASSERT_EQ(records.size(), 1u);
  const AttemptRecord& record = *records[0];
  EXPECT_EQ(record.outcome, Outcome::kUnschedulable);
  EXPECT_EQ(record.number, 1);
  EXPECT_EQ(record.node_count, 3u);
  ASSERT_NE(record.verdicts, nullptr);
  ASSERT_EQ(record.verdicts->rejections.size(), 2u);
  for (const RecordedRejection& rejection : record.verdicts->rejections) {
    ASSERT_TRUE(rejection.plugin);
    const std::string_view plugin = world.core().records().PluginName(*rejection.plugin);
    if (plugin == "NodeResourcesFit") {
      EXPECT_EQ(rejection.reasons, std::vector<std::string>{"Insufficient cpu"});
      EXPECT_EQ(NamesOf(world, record, rejection.nodes), (std::vector<std::string>{"small-1", "small-2"}));
    } else {
      EXPECT_EQ(plugin, "TaintToleration");
      EXPECT_EQ(NamesOf(world, record, rejection.nodes), std::vector<std::string>{"tainted"});
    }
  }
  ASSERT_NE(record.message, nullptr);
  EXPECT_TRUE(record.message->starts_with("0/3 nodes are available: "));
}

TEST(DecisionRecords, KeepsScoresOfTheChosenNodeAndTheBestOthers) {
  World world = RecordingWorld({.bytes = 1 << 20, .attempts = 4, .scored_nodes = 2});
  world.Put(NodeBuilder("n1").Capacity("4", "8Gi").Build());
  world.Put(NodeBuilder("n2").Capacity("8", "16Gi").Build());
  world.Put(NodeBuilder("n3").Capacity("16", "32Gi").Build());
  world.Put(Pod("a").Build());

  world.ScheduleAll();
  world.Answer(world.Take<framework::BindPod>().at(0).first);

  const AttemptRecord& record = *RecordsOf(world, "uid-a").at(0);
  const cluster::NodeTable& nodes = world.core().cluster().nodes();
  EXPECT_EQ(record.outcome, Outcome::kScheduled);
  ASSERT_EQ(record.scores.size(), 2u);
  EXPECT_EQ(world.core().records().NameOf(record, record.scores[0].node, nodes), "n3");
  EXPECT_EQ(world.core().records().NameOf(record, record.scores[1].node, nodes), "n2");
  EXPECT_EQ(record.feasible_count, 3u);
  ASSERT_NE(record.score_plugins, nullptr);
  ASSERT_EQ(record.plugin_scores.size(), 2 * record.score_plugins->size());
  for (size_t row = 0; row < 2; ++row) {
    int64_t sum = 0;
    for (size_t i = 0; i < record.score_plugins->size(); ++i) {
      sum += record.plugin_scores[row * record.score_plugins->size() + i];
    }
    EXPECT_EQ(sum, record.scores[row].total);
  }
  EXPECT_TRUE(record.permitted);
  EXPECT_TRUE(record.ended);
  EXPECT_FALSE(record.was_refused);
}

TEST(DecisionRecords, TellsWhatWokeThePodAndHowLongItWaited) {
  World world = RecordingWorld();
  world.Put(NodeBuilder("small").Capacity("500m", "1Gi").Build());
  world.Put(Pod("a").Build());
  world.ScheduleAll();
  world.Pass(Seconds(40));
  world.Put(NodeBuilder("too-small").Capacity("600m", "1Gi").Build());
  world.Pass(Seconds(20));

  world.Put(Node("n1"));
  world.ScheduleAll();

  const auto records = RecordsOf(world, "uid-a");
  ASSERT_EQ(records.size(), 2u);
  const queue::QueueTrail& trail = records[1]->trail;
  EXPECT_EQ(framework::Label(trail.cause), "NodeAdd");
  ASSERT_TRUE(trail.called_by);
  EXPECT_EQ(world.core().records().PluginName(*trail.called_by), "NodeResourcesFit");
  EXPECT_EQ(trail.declined_count, 1u);
  EXPECT_EQ(framework::Label(trail.last_declined), "NodeAdd");
  EXPECT_EQ(trail.waited[static_cast<size_t>(Queue::kUnschedulable)], Seconds(60));
}

TEST(DecisionRecords, TellsWhatPreemptionWeighed) {
  World world = RecordingWorld();
  world.Put(Node("n1"));
  world.Put(Pod("victim").Node("n1").Request("cpu", "4").Priority(1).Build());
  world.Put(Pod("a").Priority(10).Build());

  world.ScheduleAll();

  const AttemptRecord& record = *RecordsOf(world, "uid-a").at(0);
  ASSERT_NE(record.preemption, nullptr);
  ASSERT_TRUE(record.preemption->has_chosen);
  ASSERT_EQ(record.preemption->options.size(), 1u);
  EXPECT_EQ(record.preemption->options[0].victims, std::vector<std::string>{"default/victim"});
  EXPECT_EQ(record.preemption->options[0].highest_priority, 1);
}

TEST(DecisionRecords, NodeThatHasGoneHasNoName) {
  World world = RecordingWorld();
  world.Put(NodeBuilder("small").Capacity("500m", "1Gi").Build());
  world.Put(Pod("a").Build());
  world.ScheduleAll();
  const AttemptRecord& record = *RecordsOf(world, "uid-a").at(0);
  const NodeSet& nodes = record.verdicts->rejections.at(0).nodes;
  EXPECT_EQ(NamesOf(world, record, nodes), std::vector<std::string>{"small"});

  world.Remove("Node", "", "small");
  world.Put(NodeBuilder("other").Capacity("500m", "1Gi").Build());

  EXPECT_EQ(NamesOf(world, record, nodes), std::vector<std::string>{""});
}

TEST(DecisionRecords, GoWithTheirPod) {
  World world = RecordingWorld();
  world.Put(NodeBuilder("small").Capacity("500m", "1Gi").Build());
  world.Put(Pod("a").Build());
  world.Put(Pod("b").Build());
  world.ScheduleAll();
  ASSERT_EQ(world.core().records().size(), 2u);
  EXPECT_GT(world.core().records().bytes(), 0u);

  world.Remove("Pod", "default", "a");
  EXPECT_EQ(world.core().records().size(), 1u);
  world.Remove("Pod", "default", "b");

  EXPECT_EQ(world.core().records().size(), 0u);
  EXPECT_EQ(world.core().records().bytes(), 0u);
}

TEST(DecisionRecords, KeepAFewAttemptsOfAPodAndForgetTheOldestFirst) {
  World world = RecordingWorld({.bytes = 1 << 20, .attempts = 2});
  world.Put(NodeBuilder("small").Capacity("500m", "1Gi").Build());
  world.Put(Pod("a").Build());
  world.ScheduleAll();
  for (int i = 0; i < 3; ++i) {
    world.Pass(Minutes(6));
    world.Pass(Seconds(30));
    world.ScheduleAll();
  }

  const auto records = RecordsOf(world, "uid-a");
  ASSERT_EQ(records.size(), 2u);
  EXPECT_EQ(records[1]->number, records[0]->number + 1);
  EXPECT_GT(records[0]->number, 1);
  EXPECT_EQ(framework::Label(records[1]->trail.cause), "UnschedulableTimeout");
}

TEST(DecisionRecords, TakeNoMoreRoomThanTheyMay) {
  constexpr size_t kRoom = 10'000;
  World world = RecordingWorld({.bytes = kRoom});
  world.Put(NodeBuilder("n1").Capacity("1000", "1Ti").Build());
  for (int i = 0; i < 100; ++i) {
    world.Put(Pod("pod-" + std::to_string(i)).Build());
    world.ScheduleAll();
    ASSERT_LE(world.core().records().bytes(), kRoom);
  }

  EXPECT_TRUE(RecordsOf(world, "uid-pod-0").empty());
  EXPECT_EQ(RecordsOf(world, "uid-pod-99").size(), 1u);
  world.core().set_record_limits({.bytes = 0});
  EXPECT_EQ(world.core().records().size(), 0u);
  EXPECT_EQ(world.core().records().bytes(), 0u);
}

}  // namespace
}  // namespace berth::scheduler
