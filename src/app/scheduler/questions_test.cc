// SPDX-License-Identifier: Apache-2.0
#include "app/scheduler/questions.h"

#include <atomic>
#include <chrono>
#include <functional>
#include <future>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "app/scheduler/core_thread.h"
#include "cluster/test_builders.h"
#include "config/config.h"
#include "plugins/registry.h"
#include "record/settings.h"

namespace berth::scheduler_app {
namespace {

using namespace std::chrono_literals;
using explain::Pacer;
using scheduler::Core;
using Answer = Result<std::string>;

api::Object SmallNode(int i) { return api::Node(cluster::NodeBuilder("n" + std::to_string(i)).Capacity("2", "8Gi")); }

api::Object SmallPod(const std::string& name) {
  return api::Pod(
      cluster::PodBuilder(name).SchedulerName("default-scheduler").Request("cpu", "1").ResourceVersion("1"));
}

// A core with a thread of its own, of which questions are asked.
struct AskedCore {
  framework::FeatureGates gates;
  runtime::Clock clock;
  CoreThread thread{
      {.core = record::MakeCore({config::Default(gates), gates, 1, clock.Now()}, plugins::BuiltIn()).value(),
       .recording = nullptr,
       .clock = clock,
       .carry_out = [](std::vector<client::Order>) {},
       .on_emptied = [] {}}};

  void Put(api::Object object) { thread.inbox().Push(scheduler::PutObject{std::move(object)}); }
  // Answered by the core's thread, after everything before.
  template <class T>
  T Look(std::function<T(const Core&)> look) {
    std::promise<T> found;
    thread.inbox().Push(CoreThread::Question([&](const Core& core) { found.set_value(look(core)); }));
    return found.get_future().get();
  }
  cluster::TableSizes Sizes() {
    return Look<cluster::TableSizes>([](const Core& core) { return core.Sizes(); });
  }
};

// A question whose answer can be waited for.
struct Asked {
  std::shared_ptr<std::promise<Answer>> promise = std::make_shared<std::promise<Answer>>();
  std::future<Answer> answer = promise->get_future();
  std::optional<Questions::Asker> asker;

  Asked(Questions& questions, Questions::Work work) {
    Result<Questions::Asker> asked =
        questions.Ask(std::move(work), [promise = promise](Answer text) { promise->set_value(std::move(text)); });
    if (asked) {
      asker = *std::move(asked);
    } else {
      promise->set_value(std::unexpected(asked.error()));
    }
  }
  Answer Get() { return answer.get(); }
};

// Works on a copy until it is told to end.
Questions::Work Endless(std::atomic<int>& begun, const std::atomic<bool>& released) {
  return [&begun, &released](const Core& core, Pacer& pacer) -> Answer {
    const std::unique_ptr<Core> copy = core.Copy();
    ++begun;
    for (int i = 0; !released; ++i) {
      copy->Step({Time{Seconds(2'000'000'000).nanos}, scheduler::PutObject{SmallNode(i % 100)}});
      BERTH_CHECK_OK(pacer.Pause());
    }
    return "released";
  };
}

void Await(const std::atomic<int>& count, int wanted) {
  while (count < wanted) std::this_thread::sleep_for(1ms);
}

TEST(Questions, AreAnsweredOnACopy) {
  AskedCore core;
  core.Put(SmallNode(1));
  core.Put(SmallPod("waits"));
  const cluster::TableSizes before = core.Sizes();
  Questions questions(core.thread.core(), core.thread.baton());

  Asked asked(questions, [&](const Core& original, Pacer&) -> Answer {
    const std::unique_ptr<Core> copy = original.Copy();
    const Time now = core.clock.Now();
    copy->Step({now, scheduler::PutObject{SmallPod("new")}});
    while (copy->HasWork()) copy->Step({now, scheduler::ScheduleNext{}});
    return std::to_string(copy->cluster().assumed_count());
  });

  EXPECT_EQ(asked.Get(), "2");
  EXPECT_EQ(core.Sizes(), before);
}

TEST(Questions, SlowOnesHoldUpNeitherTheCoreNorOthers) {
  AskedCore core;
  for (int i = 0; i < 20; ++i) core.Put(SmallNode(i));
  Questions questions(core.thread.core(), core.thread.baton());
  std::atomic<int> begun = 0;
  std::atomic<bool> released = false;
  std::vector<Asked> slow;
  for (int i = 0; i < 3; ++i) slow.emplace_back(questions, Endless(begun, released));
  Await(begun, 3);

  for (int i = 0; i < 100; ++i) {
    core.Put(SmallNode(i));
    EXPECT_GT(core.Look<size_t>([](const Core& original) { return original.cluster().nodes().row_count(); }),
              static_cast<size_t>(i));
  }
  for (int i = 0; i < 5; ++i) {
    Asked quick(questions, [](const Core& original, Pacer& pacer) -> Answer {
      BERTH_CHECK_OK(pacer.Pause());
      return std::to_string(original.Copy()->cluster().nodes().row_count());
    });
    EXPECT_EQ(quick.Get(), "100");
  }

  EXPECT_EQ(questions.size(), 3U);
  released = true;
  for (Asked& asked : slow) EXPECT_EQ(asked.Get(), "released");
}

TEST(Questions, MoreThanMayBeAtOnceAreRefused) {
  AskedCore core;
  Questions questions(core.thread.core(), core.thread.baton(), {.at_once = 2, .time = Seconds(30)});
  std::atomic<int> begun = 0;
  std::atomic<bool> released = false;
  Asked first(questions, Endless(begun, released));
  Asked second(questions, Endless(begun, released));

  const Answer third = Asked(questions, Endless(begun, released)).Get();

  ASSERT_FALSE(third);
  EXPECT_EQ(third.error().code, Code::kLimit);
  released = true;
  EXPECT_TRUE(first.Get());
  EXPECT_TRUE(second.Get());
  while (questions.size() > 0) std::this_thread::sleep_for(1ms);
  EXPECT_TRUE(Asked(questions, Endless(begun, released)).Get());
}

TEST(Questions, EndWhenTheirTimeIsUp) {
  AskedCore core;
  Questions questions(core.thread.core(), core.thread.baton(), {.at_once = 1, .time = Milliseconds(20)});
  std::atomic<int> begun = 0;
  const std::atomic<bool> never = false;

  const Answer answer = Asked(questions, Endless(begun, never)).Get();

  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().code, Code::kDeadline);
}

TEST(Questions, EndWhenTheirAskerHasGone) {
  AskedCore core;
  Questions questions(core.thread.core(), core.thread.baton());
  std::atomic<int> begun = 0;
  const std::atomic<bool> never = false;
  Asked asked(questions, Endless(begun, never));
  Await(begun, 1);

  asked.asker.reset();

  const Answer answer = asked.Get();
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().code, Code::kGone);
}

TEST(Questions, GiveEverythingBackAtTheEnd) {
  AskedCore core;
  for (int i = 0; i < 20; ++i) core.Put(SmallNode(i));
  const cluster::TableSizes before = core.Sizes();
  std::atomic<int> begun = 0;
  const std::atomic<bool> never = false;
  std::vector<Asked> asked;
  {
    Questions questions(core.thread.core(), core.thread.baton());
    for (int i = 0; i < 4; ++i) asked.emplace_back(questions, Endless(begun, never));
    Await(begun, 2);
  }

  for (Asked& one : asked) EXPECT_EQ(one.Get().error().code, Code::kUnavailable);
  EXPECT_EQ(core.Sizes(), before);
}

TEST(Questions, AreReadBeforeTheirTurn) {
  AskedCore core;
  Questions questions(core.thread.core(), core.thread.baton());
  const auto ask = [&](Questions::Read read) {
    const auto promise = std::make_shared<std::promise<Answer>>();
    const Result<Questions::Asker> asker =
        questions.Ask(std::move(read), [promise](Answer answer) { promise->set_value(std::move(answer)); });
    return promise->get_future().get();
  };

  // The core goes on meanwhile, whatever is read.
  EXPECT_EQ(ask([&]() -> Result<Questions::Work> {
              const size_t rows =
                  core.Look<size_t>([](const Core& original) { return original.cluster().nodes().row_count(); });
              return [rows](const Core&, Pacer&) -> Answer { return std::to_string(rows); };
            }),
            "0");
  EXPECT_EQ(ask([]() -> Result<Questions::Work> { return Invalid("makes no sense"); }).error().message,
            "makes no sense");
  EXPECT_EQ(ask([]() -> Result<Questions::Work> { throw std::runtime_error("too much"); }).error().message,
            "the question failed: too much");
}

TEST(Questions, ThatThrowFailAlone) {
  AskedCore core;
  Questions questions(core.thread.core(), core.thread.baton());

  const Answer answer =
      Asked(questions, [](const Core&, Pacer&) -> Answer { throw std::runtime_error("too much"); }).Get();

  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().message, "the question failed: too much");
  EXPECT_EQ(Asked(questions, [](const Core&, Pacer&) -> Answer { return "well"; }).Get(), "well");
}

}  // namespace
}  // namespace berth::scheduler_app
