// SPDX-License-Identifier: Apache-2.0
#include "scheduler/failure_handler.h"

#include <gtest/gtest.h>

#include "scheduler/test_world.h"

namespace berth::scheduler {
namespace {

TEST(FailureHandler, PodComesBackInItsNewestVersion) {
  QueueWorld world;
  world.Put(QueueWorld::Builder("p").Build());
  std::unique_ptr<queue::QueuedPod> pod = world.queue.Pop();
  world.Put(QueueWorld::Builder("p", "2").Label("a", "b").Build());

  const cluster::PodPtr subject = world.failures.AttemptFailed(std::move(pod), world.By("NodeName"), world.now);

  ASSERT_TRUE(subject);
  EXPECT_EQ(subject->resource_version, "2");
  EXPECT_EQ(world.queue.unschedulable().Find("default/p")->pod, subject);
  EXPECT_TRUE(world.queue.in_flight().empty());
}

TEST(FailureHandler, PodThatIsGoneOrPlacedIsNotQueuedButTold) {
  for (const bool placed : {false, true}) {
    SCOPED_TRACE(placed);
    QueueWorld world;
    world.Put(QueueWorld::Builder("p").Build());
    std::unique_ptr<queue::QueuedPod> pod = world.queue.Pop();
    if (placed) {
      world.Put(QueueWorld::Builder("p", "2").Node("n1").Build());
    } else {
      world.Remove("Pod", "p");
    }

    EXPECT_TRUE(world.failures.AttemptFailed(std::move(pod), world.By("NodeName"), world.now));

    EXPECT_FALSE(world.IsWaiting("p"));
    EXPECT_TRUE(world.queue.in_flight().empty());
  }
}

TEST(FailureHandler, NothingIsToldAboutAPodThatWasCreatedAnew) {
  QueueWorld world;
  world.Put(QueueWorld::Builder("p").Build());
  std::unique_ptr<queue::QueuedPod> pod = world.queue.Pop();
  world.Remove("Pod", "p");
  world.Put(QueueWorld::Builder("p", "2").Uid("another").Build());

  EXPECT_FALSE(world.failures.AttemptFailed(std::move(pod), world.By("NodeName"), world.now));

  EXPECT_EQ(world.queue.active().Find("default/p")->pod->uid, "another");
  EXPECT_TRUE(world.queue.in_flight().empty());
}

TEST(FailureHandler, NominationIsSetKeptOrCleared) {
  struct Case {
    std::optional<std::string> nominated;
    std::string_view expected;
  };
  for (const Case& c : {Case{"n2", "n2"}, Case{std::nullopt, "n1"}, Case{"", ""}}) {
    SCOPED_TRACE(c.expected);
    QueueWorld world;
    world.Put(QueueWorld::Builder("p").NominatedNode("n1").Build());
    Failure failure = world.By("NodeName");
    failure.nominated_node_name = c.nominated;

    world.failures.AttemptFailed(world.queue.Pop(), failure, world.now);

    EXPECT_EQ(world.cluster.nominated.NodeOf("uid-p"), c.expected);
  }
}

TEST(FailureHandler, FailedBindingHelpsOthersButNotTheRejectedPodItself) {
  for (const bool rejected : {true, false}) {
    SCOPED_TRACE(rejected);
    QueueWorld world;
    world.Put(QueueWorld::Builder("p").HostPort(80).Build());
    auto [pod, assumed] = world.Assume("n1");
    world.Put(QueueWorld::Builder("waiting").HostPort(80).Build());
    world.Reject("NodePorts");

    world.failures.BindingFailed(std::move(pod), assumed, world.By(rejected ? "NodePorts" : ""), rejected, world.now);

    EXPECT_FALSE(world.cluster.IsAssumed("uid-p"));
    EXPECT_TRUE(world.IsBackingOff("waiting"));
    EXPECT_EQ(world.IsWaiting("p"), rejected);
    EXPECT_EQ(world.IsBackingOff("p"), !rejected);
  }
}

}  // namespace
}  // namespace berth::scheduler
