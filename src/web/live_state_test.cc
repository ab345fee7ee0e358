// SPDX-License-Identifier: Apache-2.0
#include "web/live_state.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "cluster/devices/test_devices.h"
#include "scheduler/test_core.h"

namespace berth::web {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

size_t CountOf(std::string_view text, std::string_view word) {
  size_t count = 0;
  for (size_t at = text.find(word); at != text.npos; at = text.find(word, at + 1)) ++count;
  return count;
}

// A core that is looked at.
struct Looked {
  scheduler::World world;
  LiveState state;
  explain::Unhindered pacer;

  Looked() { world.core().set_record_limits({.bytes = 1 << 20}); }
  std::string Delta() {
    EXPECT_TRUE(state.Read(world.core(), pacer, world.now()));
    return state.TakeDelta();
  }
};

TEST(LiveState, FirstTellsOfAllNodes) {
  Looked looked;
  looked.world.Put(
      api::Node(cluster::NodeBuilder("n1").Capacity("4", "8Gi").Zone("east").Taint("gpu", "yes", "NoSchedule")));

  const std::string delta = looked.Delta();

  EXPECT_THAT(
      delta,
      AllOf(HasSubstr(
                R"("name":"n1","kind":{"hostname":true,"ready":true,"cordoned":false,"taints":["gpu=yes:NoSchedule"])"),
            HasSubstr(R"("topology.kubernetes.io/zone":"east")"), HasSubstr(R"("capacity":{"cpu":4000,)"),
            HasSubstr(R"("used":{"cpu":0,)"), HasSubstr(R"("queue":{"states")")));
  EXPECT_EQ(looked.Delta(), "");
  EXPECT_THAT(looked.state.Snapshot(), HasSubstr(R"("name":"n1")"));
}

TEST(LiveState, TellsWhatPodsRequestWithoutTheRestOfTheNode) {
  Looked looked;
  looked.world.Put(scheduler::Node("n1"));
  looked.world.Put(scheduler::Node("n2"));
  looked.Delta();

  looked.world.Put(api::Pod(scheduler::Pod("a").Node("n2")));

  EXPECT_EQ(looked.Delta(),
            R"({"gone":[],"nodes":[{"slot":1,"used":{"cpu":1000,"memory":0,"ephemeral-storage":0,"pods":1}}]})");
}

TEST(LiveState, NodesThatGoAreNamedAndTheirSlotsUsedAgain) {
  Looked looked;
  for (const char* name : {"n1", "n2", "n3"}) looked.world.Put(scheduler::Node(name));
  looked.Delta();

  looked.world.Remove("Node", "", "n1");
  looked.world.Remove("Node", "", "n3");
  EXPECT_EQ(looked.Delta(), R"({"gone":[0,2],"nodes":[]})");

  looked.world.Put(scheduler::Node("n4"));
  EXPECT_THAT(looked.Delta(), HasSubstr(R"("nodes":[{"slot":0,"name":"n4")"));
  EXPECT_THAT(looked.state.Snapshot(), AllOf(HasSubstr("n2"), HasSubstr("n4"), Not(HasSubstr("n3"))));
}

TEST(LiveState, MissesNothingWhenMoreChangesThanTheLogKeeps) {
  Looked looked;
  looked.world.Put(scheduler::Node("n1"));
  looked.world.Put(scheduler::Node("n2"));
  looked.Delta();

  looked.world.Put(api::Pod(scheduler::Pod("a").Node("n1")));
  for (int i = 0; i < 5000; ++i) {
    api::Node changed = scheduler::Node("n2");
    changed.meta.labels.Set("turn", std::to_string(i));
    looked.world.Put(std::move(changed));
  }

  EXPECT_THAT(looked.Delta(), AllOf(HasSubstr(R"({"slot":0,"used":{"cpu":1000,)"), HasSubstr(R"("turn":"4999")")));
}

TEST(LiveState, SaysWhichNodesAreNotReadyOrCordoned) {
  Looked looked;
  api::Node bad = scheduler::Node("n1");
  bad.taints.push_back({"node.kubernetes.io/unreachable", "", "NoExecute"});
  looked.world.Put(std::move(bad));
  api::Node cordoned = scheduler::Node("n2");
  cordoned.unschedulable = true;
  cordoned.taints.push_back({"node.kubernetes.io/unschedulable", "", "NoSchedule"});
  cordoned.conditions.push_back({"Ready", "True"});
  looked.world.Put(std::move(cordoned));

  EXPECT_THAT(looked.Delta(),
              AllOf(HasSubstr(R"("name":"n1","kind":{"hostname":true,"ready":false,"cordoned":false,"taints":[])"),
                    HasSubstr(R"("name":"n2","kind":{"hostname":true,"ready":true,"cordoned":true,"taints":[])")));
}

TEST(LiveState, WhatNodesAreLikeStandsInASnapshotOnce) {
  Looked looked;
  for (int i = 0; i < 3; ++i) {
    const std::string name = "n" + std::to_string(i);
    api::Node node = cluster::NodeBuilder(name).Capacity("4", "8Gi").Zone(i == 0 ? "west" : "east");
    node.meta.labels.Set("kubernetes.io/hostname", name);
    looked.world.Put(std::move(node));
  }
  looked.Delta();

  const std::string snapshot = looked.state.Snapshot();

  EXPECT_EQ(CountOf(snapshot, R"("hostname":true)"), 2U);
  EXPECT_EQ(CountOf(snapshot, "kubernetes.io/hostname"), 0U);
  EXPECT_EQ(CountOf(snapshot, R"("topology.kubernetes.io/zone":"east")"), 1U);
  EXPECT_THAT(snapshot, AllOf(HasSubstr(R"("name":"n0","kind":0,)"), HasSubstr(R"("name":"n1","kind":1,)"),
                              HasSubstr(R"("name":"n2","kind":1,)")));
}

TEST(LiveState, CountsDevicesOfNodesByDriver) {
  Looked looked;
  looked.world.Put(scheduler::Node("n1"));
  looked.world.Put(scheduler::Node("n2"));
  looked.Delta();

  looked.world.Put(cluster::TestSlice("s", "n1", "n1", cluster::TestDevices(4)));

  const std::string delta = looked.Delta();
  EXPECT_THAT(delta, HasSubstr(R"("devices/gpu.example.com":4)"));
  EXPECT_THAT(delta, Not(HasSubstr("n2")));
}

TEST(LiveState, FiguresAreToldWithTheQueue) {
  Looked looked;
  int count = 0;
  looked.state.set_figures([&count] { return std::to_string(count); });
  EXPECT_THAT(looked.Delta(), HasSubstr(R"("figures":0)"));

  count = 1;

  EXPECT_EQ(looked.Delta(), "");
  looked.world.Pass(Seconds(1));
  EXPECT_THAT(looked.Delta(), HasSubstr(R"("figures":1)"));
}

TEST(LiveState, GroupsThePodsThatWaitByReason) {
  Looked looked;
  looked.world.Put(scheduler::Node("n1"));
  for (const char* name : {"a", "b", "c"}) looked.world.Put(api::Pod(scheduler::Pod(name).Request("cpu", "100")));
  looked.world.Put(api::Pod(scheduler::Pod("held").Gate("example.com/wait")));
  looked.world.ScheduleAll();

  EXPECT_THAT(looked.Delta(),
              AllOf(HasSubstr(R"("unschedulable":{"pods":3})"), HasSubstr(R"("gated":{"pods":1})"),
                    HasSubstr(R"("attempts":3,"podsOnNodes":0,"reasonCount":2,"reasons":[{"plugin":"NodeResourcesFit",)"
                              R"("reason":"Insufficient cpu","pods":3,"nodes":1,"examples":["default/)"),
                    HasSubstr(R"({"plugin":"SchedulingGates","pods":1,"nodes":0,"examples":["default/held"]})")));
}

TEST(LiveState, ReasonsAndExamplesAreBounded) {
  Looked looked;
  looked.world.Put(scheduler::Node("n1"));
  for (int i = 0; i < 60; ++i) {
    const std::string number = std::to_string(i);
    looked.world.Put(api::Pod(scheduler::Pod("p" + number).Request("example.com/r" + number, "1")));
  }
  for (int i = 0; i < 6; ++i) looked.world.Put(api::Pod(scheduler::Pod("q" + std::to_string(i)).Request("cpu", "9")));
  looked.world.ScheduleAll();

  const std::string delta = looked.Delta();

  EXPECT_THAT(delta, AllOf(HasSubstr(R"("reasonCount":61)"), HasSubstr(R"("reason":"Insufficient cpu","pods":6,)")));
  EXPECT_EQ(CountOf(delta, R"("reason":)"), 50U);
  EXPECT_EQ(CountOf(delta, "default/q"), 5U);
}

TEST(LiveState, CountsPodsByAge) {
  Looked looked;
  api::Pod old = scheduler::Pod("old").Gate("example.com/wait");
  old.meta.creation_timestamp = scheduler::kStart - Minutes(2);
  api::Pod fresh = scheduler::Pod("fresh").Gate("example.com/wait");
  fresh.meta.creation_timestamp = scheduler::kStart;
  looked.world.Put(std::move(old));
  looked.world.Put(std::move(fresh));

  EXPECT_THAT(looked.Delta(), HasSubstr(R"("gated":{"pods":2,"oldest":"1970-01-12T13:44:40Z","ages":[1,0,1,0,0]})"));
}

TEST(LiveState, LooksAtTheQueueOnceASecond) {
  Looked looked;
  looked.Delta();
  looked.world.Put(api::Pod(scheduler::Pod("a")));

  EXPECT_EQ(looked.Delta(), "");
  looked.world.Pass(Seconds(1));
  EXPECT_THAT(looked.Delta(), HasSubstr(R"("active":{"pods":1})"));
}

// Ends at a pause, as when the time of a question is up.
struct Impatient final : explain::Pacer {
  int pauses = 0;
  Result<void> Pause() override {
    if (--pauses < 0) return Fail(Code::kDeadline, "no more time");
    return {};
  }
};

TEST(LiveState, WhatWasNotReadInTimeIsReadTheNextTime) {
  Looked looked;
  for (const char* name : {"n1", "n2", "n3"}) looked.world.Put(scheduler::Node(name));
  Impatient impatient;
  impatient.pauses = 1;

  EXPECT_FALSE(looked.state.Read(looked.world.core(), impatient, looked.world.now()));

  EXPECT_THAT(looked.Delta(), AllOf(HasSubstr("n1"), HasSubstr("n2"), HasSubstr("n3")));
}

}  // namespace
}  // namespace berth::web
