// SPDX-License-Identifier: Apache-2.0
#include "scheduler/core.h"

#include <gtest/gtest.h>

#include "scheduler/test_core.h"

namespace berth::scheduler {
namespace {

using cluster::NodeBuilder;

TEST(Core, PodIsAssumedBoundAndReported) {
  World world;
  world.Put(Node("n1"));
  world.Put(Pod("a").Build());

  world.ScheduleAll();
  const auto binds = world.Take<framework::BindPod>();
  ASSERT_EQ(binds.size(), 1u);
  EXPECT_EQ(binds[0].second.node_name, "n1");
  EXPECT_TRUE(world.core().cluster().IsAssumed("uid-a"));
  EXPECT_TRUE(world.Take<framework::RecordEvent>().empty());
  world.Answer(binds[0].first);

  const auto events = world.Take<framework::RecordEvent>();
  ASSERT_EQ(events.size(), 1u);
  EXPECT_EQ(events[0].second.note, "Successfully assigned default/a to n1");
  world.Put(Pod("a").Node("n1").ResourceVersion("2").Build());
  EXPECT_FALSE(world.core().cluster().IsAssumed("uid-a"));
  EXPECT_EQ(world.core().bindings().size(), 0u);
}

TEST(Core, PodThatDoesNotFitIsReportedAndRetriedWhenANodeComes) {
  World world;
  world.Put(NodeBuilder("small").Capacity("500m", "1Gi").Build());
  world.Put(Pod("a").Build());
  world.ScheduleAll();

  const auto events = world.Take<framework::RecordEvent>();
  ASSERT_EQ(events.size(), 1u);
  EXPECT_EQ(events[0].second.reason, "FailedScheduling");
  const auto patches = world.Take<framework::PatchPodStatus>();
  ASSERT_EQ(patches.size(), 1u);
  EXPECT_EQ(patches[0].second.condition->reason, "Unschedulable");
  EXPECT_EQ(patches[0].second.condition->message, events[0].second.note);

  world.Put(Node("n1"));
  world.ScheduleAll();
  EXPECT_EQ(world.Take<framework::BindPod>().size(), 1u);
}

TEST(Core, DeletedPodThatWasAssumedFreesItsNode) {
  World world;
  world.Put(Node("n1"));
  world.Put(Pod("a").Build());
  world.ScheduleAll();
  const auto binds = world.Take<framework::BindPod>();

  world.Remove("Pod", "default", "a");
  world.Answer(binds[0].first, EffectAnswer::Code::kFailed, "pods \"a\" not found");

  EXPECT_EQ(world.core().cluster().pod_count(), 0u);
  EXPECT_FALSE(world.core().HasWork());
  EXPECT_EQ(world.core().bindings().size(), 0u);
}

TEST(Core, PodCreatedAnewWhileTheWatchWasBrokenIsAnotherPod) {
  struct Case {
    const char* what;
    const char* old_node;
  };
  for (const Case& c : {Case{"the old pod is pending", ""}, Case{"the old pod is on a node", "n1"}}) {
    SCOPED_TRACE(c.what);
    World world;
    world.Put(Pod("a").Node(c.old_node).Uid("old").Request("cpu", "3").Build());

    world.Put(Pod("a").Uid("new").Request("cpu", "3").ResourceVersion("2").Build());
    EXPECT_EQ(world.core().cluster().FindPod("old"), nullptr);
    world.Put(Node("n1"));
    world.ScheduleAll();

    const auto binds = world.Take<framework::BindPod>();
    ASSERT_EQ(binds.size(), 1u);
    EXPECT_EQ(binds[0].second.pod->uid, "new");
  }
}

TEST(Core, PodIsWhereTheWatchSaysEvenIfThatContradictsWhatWasKnown) {
  World world;
  world.Put(Node("n1"));
  world.Put(Node("n2"));
  world.Put(Pod("a").Node("n1").Build());

  world.Put(Pod("a").Node("n2").ResourceVersion("2").Build());

  EXPECT_EQ(world.core().cluster().FindPod("uid-a")->node_name, "n2");
  world.Remove("Pod", "default", "a");
  EXPECT_EQ(world.core().cluster().pod_count(), 0u);
}

TEST(Core, PodThatHasNoNodeAnyMoreIsPlacedAgain) {
  World world;
  world.Put(Node("n1"));
  world.Put(Pod("a").Node("n1").Build());

  world.Put(Pod("a").ResourceVersion("2").Build());
  world.ScheduleAll();

  const auto binds = world.Take<framework::BindPod>();
  ASSERT_EQ(binds.size(), 1u);
  EXPECT_EQ(binds[0].second.pod->name, "a");
}

TEST(Core, UnschedulablePodsAreTriedAgainAfterTheConfiguredTime) {
  framework::SchedulerConfiguration configuration = DefaultConfiguration();
  configuration.pod_max_in_unschedulable = Seconds(60);
  World world(configuration);
  world.Put(NodeBuilder("small").Capacity("500m", "1Gi").Build());
  world.Put(Pod("a").Build());
  world.ScheduleAll();

  world.Pass(Seconds(59));
  EXPECT_FALSE(world.core().HasWork());
  world.Pass(Seconds(31));
  EXPECT_TRUE(world.core().HasWork());
}

TEST(Core, SameInputsGiveTheSameEffects) {
  const auto run = [] {
    World world;
    std::string log;
    for (int i = 0; i < 5; ++i) world.Put(Node("n" + std::to_string(i)));
    for (int i = 0; i < 30; ++i) world.Put(Pod("p" + std::to_string(i)).Priority(i % 3).Build());
    world.ScheduleAll();
    for (const auto& [id, bind] : world.Take<framework::BindPod>())
      log += std::to_string(id) + bind.pod->name + bind.node_name;
    for (const auto& [id, event] : world.Take<framework::RecordEvent>()) log += std::to_string(id) + event.note;
    return log;
  };

  EXPECT_EQ(run(), run());
}

}  // namespace
}  // namespace berth::scheduler
