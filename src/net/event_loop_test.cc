// SPDX-License-Identifier: Apache-2.0
#include "net/event_loop.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <chrono>
#include <csignal>
#include <functional>
#include <memory>
#include <thread>
#include <vector>

namespace berth::net {
namespace {

using testing::ElementsAre;

TEST(EventLoop, TimersRunInTheOrderOfTheirTimes) {
  EventLoop loop;
  std::vector<int> order;
  loop.After(Milliseconds(20), [&] { loop.Stop(); });
  loop.After(Milliseconds(10), [&] { order.push_back(2); });
  loop.After(Milliseconds(1), [&] { order.push_back(1); });
  loop.After(Milliseconds(-5), [&] { order.push_back(0); });
  const auto cancelled = loop.After(Milliseconds(5), [&] { order.push_back(9); });
  loop.Cancel(cancelled);
  loop.Cancel(cancelled);

  const Time start = loop.Now();
  loop.Run();

  EXPECT_THAT(order, ElementsAre(0, 1, 2));
  EXPECT_GE((loop.Now() - start).nanos, Milliseconds(15).nanos);
}

TEST(EventLoop, TimersThatAreDueLetOtherWorkComeBetween) {
  EventLoop loop;
  int timers = 0;
  int timers_before_other = -1;
  for (int i = 0; i < 20; ++i) {
    loop.After({}, [&] {
      if (++timers == 1) loop.Post([&] { timers_before_other = timers; });
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
      if (timers == 20) loop.Stop();
    });
  }

  loop.Run();

  EXPECT_EQ(timers, 20);
  EXPECT_GT(timers_before_other, 0);
  EXPECT_LT(timers_before_other, 20);
}

// Other work that never ends, as that of clients who ask again as soon as they are answered.
TEST(EventLoop, TheBackgroundGetsATenthOfTheTime) {
  EventLoop loop;
  int others = 0;
  int own = 0;
  const auto work = [&](int& done) {
    const Time begin = loop.Now();
    while (loop.Now() - begin < Duration{20'000}) continue;
    if (++done; own + others == 5000) loop.Stop();
  };
  std::function<void()> ask = [&] {
    work(others);
    loop.Post(ask);
  };
  std::function<void()> go_on = [&] {
    work(own);
    loop.background().After({}, go_on);
  };
  loop.Post(ask);
  loop.background().After({}, go_on);

  loop.Run();

  EXPECT_GT(own, 5000 / 40);
  EXPECT_LT(own, 5000 / 5);
}

TEST(EventLoop, TheBackgroundWaitsForWhoeverWasJustServed) {
  EventLoop loop;
  Time served{};
  Time ran{};
  loop.background().After({}, [&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
    boost::asio::post(loop.context(), [&] { served = loop.Now(); });
    loop.background().After({}, [&] {
      ran = loop.Now();
      loop.Stop();
    });
  });

  loop.Run();

  EXPECT_GE((ran - served).nanos, 100'000);
}

TEST(EventLoop, TheBackgroundRunsWhenThereIsNothingElseToDo) {
  EventLoop loop;
  std::vector<int> order;
  runtime::Timers& background = loop.background();
  background.After({}, [&] {
    order.push_back(3);
    background.After(Milliseconds(1), [&] { loop.Stop(); });
  });
  const auto cancelled = background.After({}, [&] { order.push_back(9); });
  background.Cancel(cancelled);
  loop.After({}, [&] { order.push_back(2); });
  loop.Post([&] { order.push_back(1); });

  loop.Run();

  EXPECT_THAT(order, ElementsAre(1, 2, 3));
}

TEST(EventLoop, ATimerMayCancelOneThatIsDueToo) {
  EventLoop loop;
  bool ran = false;
  runtime::Timers::Id second = 0;
  loop.After({}, [&] { loop.Cancel(second); });
  second = loop.After({}, [&] { ran = true; });
  loop.After(Milliseconds(5), [&] { loop.Stop(); });

  loop.Run();

  EXPECT_FALSE(ran);
}

TEST(EventLoop, WorkOfOtherThreadsRunsInTheirOrder) {
  EventLoop loop;
  constexpr int kEach = 10'000;
  std::vector<int> last(4, -1);
  int total = 0;
  std::vector<std::thread> threads;
  for (size_t t = 0; t < last.size(); ++t) {
    threads.emplace_back([&, t] {
      for (int i = 0; i < kEach; ++i) {
        loop.Post([&, t, i] {
          EXPECT_EQ(last[t], i - 1);
          last[t] = i;
          if (++total == 4 * kEach) loop.Stop();
        });
      }
    });
  }

  loop.Run();
  for (std::thread& thread : threads) thread.join();

  EXPECT_EQ(total, 4 * kEach);
}

TEST(EventLoop, SignalsCallTheirHandlersEachTime) {
  EventLoop loop;
  int count = 0;
  loop.OnSignal(SIGUSR2, [&] {
    if (++count == 2) return loop.Stop();
    std::raise(SIGUSR2);
  });
  loop.Post([] { std::raise(SIGUSR2); });

  loop.Run();

  EXPECT_EQ(count, 2);
}

TEST(EventLoop, WorkThatNeverRanIsFreed) {
  const auto held = std::make_shared<int>(0);
  {
    EventLoop loop;
    loop.Post([held] {});
    loop.After(Seconds(1), [held] {});
    EXPECT_EQ(held.use_count(), 3);
  }
  EXPECT_EQ(held.use_count(), 1);
}

}  // namespace
}  // namespace berth::net
