// SPDX-License-Identifier: Apache-2.0
#include "scheduler/event_handlers.h"

#include <gtest/gtest.h>

#include "scheduler/test_world.h"

namespace berth::scheduler {
namespace {

using cluster::NodeBuilder;

TEST(EventHandlers, PodsOfForeignSchedulersAreLeftAloneUntilTheyAreOnANode) {
  QueueWorld world;
  world.Put(QueueWorld::Builder("foreign").SchedulerName("other").Build());
  EXPECT_FALSE(world.IsActive("foreign"));

  world.Put(QueueWorld::Builder("foreign", "2").SchedulerName("other").Node("n1").Build());
  EXPECT_TRUE(world.cluster.FindPod("uid-foreign"));
}

TEST(EventHandlers, NewNodeHelpsARejectedPod) {
  QueueWorld world;
  world.Put(QueueWorld::Builder("p").Build());
  world.Reject("NodeName");
  EXPECT_TRUE(world.IsWaiting("p"));

  world.Put(NodeBuilder("n1").Build());

  EXPECT_TRUE(world.IsBackingOff("p"));
  EXPECT_EQ(world.cluster.nodes().row_count(), 1U);
}

TEST(EventHandlers, NodeUpdateMovesPodsByWhatChanged) {
  QueueWorld world;
  world.Put(NodeBuilder("n1").Taint("gpu", "", "NoSchedule").Build());
  world.Put(QueueWorld::Builder("tainted").Build());
  world.Reject("TaintToleration");
  world.Put(QueueWorld::Builder("named").Build());
  world.Reject("NodeName");

  world.Put(NodeBuilder("n1").Taint("gpu", "", "NoSchedule").Label("a", "b").Build());
  EXPECT_TRUE(world.IsWaiting("tainted"));
  world.Put(NodeBuilder("n1").Label("a", "b").Build());

  EXPECT_TRUE(world.IsBackingOff("tainted"));
  EXPECT_TRUE(world.IsWaiting("named"));
}

TEST(EventHandlers, BoundPodLeavesTheQueueAndCountsOnItsNode) {
  QueueWorld world;
  world.Put(QueueWorld::Builder("p").NominatedNode("n1").Build());
  EXPECT_EQ(world.cluster.nominated.NodeOf("uid-p"), "n1");

  world.Put(QueueWorld::Builder("p", "2").Node("n1").Build());

  EXPECT_FALSE(world.IsActive("p"));
  EXPECT_TRUE(world.cluster.nominated.empty());
  EXPECT_TRUE(world.cluster.FindPod("uid-p"));
}

TEST(EventHandlers, TerminalPodCountsAsRemoved) {
  QueueWorld world;
  world.Put(QueueWorld::Builder("p").Node("n1").HostPort(80).Build());
  world.Put(QueueWorld::Builder("waiting").HostPort(80).Build());
  world.Reject("NodePorts");

  world.Put(QueueWorld::Builder("p", "2").Node("n1").HostPort(80).Phase("Succeeded").Build());

  EXPECT_FALSE(world.cluster.FindPod("uid-p"));
  EXPECT_FALSE(world.store.Find("default/p"));
  EXPECT_TRUE(world.IsBackingOff("waiting"));
}

TEST(EventHandlers, UpdateWithTheSameVersionIsIgnoredWhilePending) {
  QueueWorld world;
  world.Put(QueueWorld::Builder("p").Build());
  world.queue.Pop();
  world.queue.Done("uid-p");

  world.Put(QueueWorld::Builder("p").Build());

  EXPECT_FALSE(world.IsActive("p"));
}

TEST(EventHandlers, DeletionOfAnAssumedPodFreesItsPlace) {
  for (const bool rejects_waiting : {false, true}) {
    SCOPED_TRACE(rejects_waiting);
    QueueWorld world;
    world.rejects_waiting = rejects_waiting;
    world.Put(QueueWorld::Builder("p").HostPort(80).Build());
    const auto [pod, assumed] = world.Assume("n1");
    world.Put(QueueWorld::Builder("waiting").HostPort(80).Build());
    world.Reject("NodePorts");

    world.Put(QueueWorld::Builder("p", "2").HostPort(80).Terminating().Build());

    EXPECT_EQ(world.cluster.IsAssumed("uid-p"), rejects_waiting)
        << "one that waits is forgotten when its binding fails";
    EXPECT_TRUE(world.IsBackingOff("waiting"));
  }
}

TEST(EventHandlers, LostNominationHelpsPodsOfLowerOrEqualPriorityOnly) {
  QueueWorld world;
  world.Put(QueueWorld::Builder("low").Priority(1).HostPort(80).Build());
  world.Reject("NodePorts");
  world.Put(QueueWorld::Builder("high").Priority(9).HostPort(80).Build());
  world.Reject("NodePorts");
  world.Put(QueueWorld::Builder("nominated").Priority(5).HostPort(80).NominatedNode("n1").Build());

  world.Remove("Pod", "nominated");

  EXPECT_TRUE(world.IsWaiting("high"));
  EXPECT_FALSE(world.IsWaiting("low")) << "NodePorts cannot tell that the pod was on no node";
}

TEST(EventHandlers, StaleDeletionCleansBothPlaces) {
  QueueWorld world;
  world.Put(QueueWorld::Builder("queued").Build());
  world.Put(QueueWorld::Builder("placed").Node("n1").Build());

  world.Remove("Pod", "queued", true);
  world.Remove("Pod", "placed", true);

  EXPECT_FALSE(world.IsActive("queued"));
  EXPECT_EQ(world.cluster.pod_count(), 0U);
  EXPECT_EQ(world.store.size(), 0U);
}

TEST(EventHandlers, ObjectsThatNoPluginRegistersAreStored) {
  QueueWorld world;
  api::PriorityClass priority_class;
  priority_class.meta.name = "high";
  world.Put(priority_class);
  EXPECT_TRUE(world.cluster.objects.priority_classes.Find("", "high"));

  world.Remove("PriorityClass", "high");
  EXPECT_FALSE(world.cluster.objects.priority_classes.Find("", "high"));
}

TEST(EventHandlers, OlderVersionOfAClaimIsIgnored) {
  QueueWorld world;
  api::ResourceClaim claim;
  claim.meta.ns = "default";
  claim.meta.name = "c";
  claim.meta.resource_version = "10";
  world.Put(claim);
  claim.meta.resource_version = "9";
  claim.allocation.emplace();

  world.Put(claim);

  EXPECT_FALSE(world.cluster.objects.resource_claims.Find("default", "c")->allocation.has_value());
}

}  // namespace
}  // namespace berth::scheduler
