// SPDX-License-Identifier: Apache-2.0
#include "runtime/loop.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "runtime/test_timers.h"

namespace berth::runtime {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

// Runs a loop and notes when each run began, in milliseconds.
struct LoopWorld {
  explicit LoopWorld(
      Loop::Options options, std::move_only_function<void()> run = [] {})
      : start(timers.Now()), work(std::move(run)), loop(timers, std::move(options), [this] {
          runs.push_back((timers.Now() - start).nanos / 1'000'000);
          work();
        }) {}

  TestTimers timers;
  const Time start;
  std::move_only_function<void()> work;
  std::vector<int64_t> runs;
  Loop loop;
};

TEST(Loop, RunsAtOnceAndThenEveryPeriod) {
  LoopWorld world({.delay = Every(Seconds(2))});

  world.loop.Start();
  world.timers.Advance(Seconds(5));

  EXPECT_THAT(world.runs, ElementsAre(0, 2000, 4000));
  EXPECT_TRUE(world.loop.is_running());
}

TEST(Loop, CanBeginWithAWait) {
  LoopWorld world({.delay = Every(Seconds(2))});

  world.loop.StartLater();
  EXPECT_TRUE(world.loop.is_running());
  world.timers.Advance(Seconds(5));

  EXPECT_THAT(world.runs, ElementsAre(2000, 4000));
}

TEST(Loop, ASlidingPeriodBeginsWhenARunHasEnded) {
  LoopWorld world({.delay = Every(Seconds(2))});
  world.work = [&] { world.timers.Advance(Milliseconds(500)); };

  world.loop.Start();
  world.timers.Advance(Seconds(6));

  EXPECT_THAT(world.runs, ElementsAre(0, 2500, 5000));
}

TEST(Loop, ANonSlidingPeriodBeginsWhenARunDoes) {
  LoopWorld world({.delay = Every(Seconds(2)), .sliding = false});
  world.work = [&] { world.timers.Advance(Milliseconds(500)); };

  world.loop.Start();
  world.timers.Advance(Seconds(4));

  EXPECT_THAT(world.runs, ElementsAre(0, 2000, 4000));
}

TEST(Loop, ARunThatOutlastsANonSlidingPeriodIsFollowedByTheNextAtOnce) {
  LoopWorld world({.delay = Every(Seconds(2)), .sliding = false});
  world.work = [&] {
    if (world.runs.size() == 1) world.timers.Advance(Seconds(3));
  };

  world.loop.Start();
  world.timers.Advance(Seconds(3));

  EXPECT_THAT(world.runs, ElementsAre(0, 3000, 5000));
}

TEST(Loop, APeriodOfZeroRunsAgainWithoutAWaitButNotInsideItself) {
  LoopWorld world({.delay = Every({})});
  world.work = [&] {
    if (world.runs.size() == 3) world.loop.Stop();
  };

  world.loop.Start();
  EXPECT_THAT(world.runs, ElementsAre(0));
  world.timers.Run();

  EXPECT_THAT(world.runs, ElementsAre(0, 0, 0));
}

TEST(Loop, StopsInARunAndBetweenRuns) {
  LoopWorld between({.delay = Every(Seconds(1))});
  between.loop.Start();
  between.loop.Stop();
  between.timers.Advance(Seconds(9));
  EXPECT_THAT(between.runs, ElementsAre(0));
  EXPECT_EQ(between.timers.pending(), 0U);

  LoopWorld inside({.delay = Every(Seconds(1))});
  inside.work = [&] { inside.loop.Stop(); };
  inside.loop.Start();
  EXPECT_FALSE(inside.loop.is_running());
  EXPECT_EQ(inside.timers.pending(), 0U);
}

TEST(Loop, ARequestToStopIsSeenBeforeEachRun) {
  std::stop_source stop;
  LoopWorld world({.delay = Every(Seconds(1)), .stop = stop.get_token()});
  world.loop.Start();
  world.timers.Advance(Seconds(1));
  stop.request_stop();
  world.timers.Advance(Seconds(9));
  EXPECT_THAT(world.runs, ElementsAre(0, 1000));
  EXPECT_FALSE(world.loop.is_running());

  LoopWorld never({.delay = Every(Seconds(1)), .stop = stop.get_token()});
  never.loop.Start();
  EXPECT_THAT(never.runs, IsEmpty());
}

TEST(Loop, AnExceptionInARunIsReportedAndSurvived) {
  std::vector<std::string> crashes;
  LoopWorld world({.delay = Every(Seconds(1)), .on_crash = [&](std::string_view what) { crashes.emplace_back(what); }});
  world.work = [&] {
    if (world.runs.size() == 1) throw std::runtime_error("out of luck");
    world.loop.Hold();
    if (world.runs.size() == 2) throw 42;  // NOLINT
  };

  world.loop.Start();
  world.timers.Advance(Seconds(2));

  EXPECT_THAT(world.runs, ElementsAre(0, 1000, 2000));
  EXPECT_THAT(crashes, ElementsAre("out of luck", "an exception of unknown type"));
}

TEST(Loop, JitterStretchesEachWaitByItself) {
  LoopWorld world({.delay = JitteredEvery(Seconds(1), 0.5, 3)});
  world.loop.Start();
  world.timers.Advance(Minutes(1));

  ASSERT_GT(world.runs.size(), 40U);
  std::vector<int64_t> waits;
  for (size_t i = 1; i < world.runs.size(); ++i) waits.push_back(world.runs[i] - world.runs[i - 1]);
  EXPECT_THAT(waits, ::testing::Each(::testing::AllOf(::testing::Ge(1000), ::testing::Le(1500))));
  EXPECT_NE(*std::ranges::min_element(waits), *std::ranges::max_element(waits));
}

TEST(Loop, WithoutAJitterFactorThereIsNoJitter) {
  LoopWorld world({.delay = JitteredEvery(Seconds(1), 0, 3)});
  world.loop.Start();
  world.timers.Advance(Seconds(2));

  EXPECT_THAT(world.runs, ElementsAre(0, 1000, 2000));
}

TEST(Loop, BacksOff) {
  LoopWorld world(
      {.delay = BackingOff({.duration = Seconds(1), .factor = 2, .steps = 9, .cap = Seconds(5)}, Minutes(2), 3)});
  world.loop.Start();
  world.timers.Advance(Seconds(18));

  EXPECT_THAT(world.runs, ElementsAre(0, 1000, 3000, 7000, 12000, 17000));
}

TEST(Loop, AHeldRunEndsWhenItIsResumed) {
  LoopWorld world({.delay = Every(Seconds(1))});
  world.work = [&] { world.loop.Hold(); };

  world.loop.Start();
  world.timers.Advance(Seconds(9));
  EXPECT_THAT(world.runs, ElementsAre(0));
  world.loop.Resume();
  world.timers.Advance(Milliseconds(1500));

  EXPECT_THAT(world.runs, ElementsAre(0, 10'000));
}

TEST(Loop, AHeldRunUsesUpANonSlidingPeriod) {
  LoopWorld world({.delay = Every(Seconds(1)), .sliding = false});
  world.work = [&] { world.loop.Hold(); };

  world.loop.Start();
  world.timers.Advance(Milliseconds(400));
  world.loop.Resume();
  world.timers.Advance(Milliseconds(600));

  EXPECT_THAT(world.runs, ElementsAre(0, 1000));
}

TEST(Loop, ALateAnswerDoesNotBringAStoppedLoopBack) {
  LoopWorld world({.delay = Every(Seconds(1))});
  world.work = [&] { world.loop.Hold(); };

  world.loop.Start();
  world.loop.Stop();
  world.loop.Resume();
  world.timers.Advance(Seconds(9));

  EXPECT_THAT(world.runs, ElementsAre(0));
  EXPECT_FALSE(world.loop.is_running());
}

TEST(Loop, ARunMayBeginTheLoopAnew) {
  LoopWorld world({.delay = Every(Seconds(1))});
  world.work = [&] {
    if (world.runs.size() == 2) world.loop.StartLater();
    if (world.runs.size() == 3) world.loop.Start();
  };

  world.loop.Start();
  world.timers.Advance(Seconds(3));

  EXPECT_THAT(world.runs, ElementsAre(0, 1000, 2000, 2000, 3000));
}

// The loop's thread lets the clock go on until it sees the request of another thread.
TEST(Loop, AnotherThreadMayStopIt) {
  std::stop_source stop;
  std::atomic<int> runs = 0;
  std::jthread thread([&] {
    LoopWorld world({.delay = Every(Seconds(1)), .stop = stop.get_token()}, [&] { ++runs; });
    world.loop.Start();
    while (world.loop.is_running()) world.timers.Advance(Seconds(1));
  });
  while (runs < 3) std::this_thread::yield();

  stop.request_stop();
  thread.join();

  const int after = runs;
  EXPECT_GE(after, 3);
}

}  // namespace
}  // namespace berth::runtime
