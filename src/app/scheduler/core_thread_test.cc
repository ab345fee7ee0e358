// SPDX-License-Identifier: Apache-2.0
#include "app/scheduler/core_thread.h"

#include <gtest/gtest.h>

#include <chrono>
#include <condition_variable>
#include <future>
#include <mutex>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "runtime/clock.h"
#include "scheduler/test_core.h"

namespace berth::scheduler_app {
namespace {

// The bindings that a core orders, which are answered when the test says so.
class Bindings {
 public:
  void Add(const std::vector<client::Order>& orders) {
    const std::lock_guard lock(mutex_);
    for (const client::Order& order : orders) {
      if (std::holds_alternative<client::BindOrder>(order.what)) ids_.push_back(order.id);
    }
    changed_.notify_one();
  }
  // Whether there are at least so many after a while.
  bool Await(size_t count) {
    std::unique_lock lock(mutex_);
    return changed_.wait_for(lock, std::chrono::minutes(1), [&] { return ids_.size() >= count; });
  }
  std::vector<uint64_t> ids() {
    const std::lock_guard lock(mutex_);
    return ids_;
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<uint64_t> ids_;  // Guarded by mutex_.
};

// Lets the core go on for so many turns.
void Pass(CoreThread& thread, int turns) {
  for (int i = 0; i < turns; ++i) {
    std::promise<void> asked;
    thread.inbox().Push(CoreThread::Question([&](const scheduler::Core&) { asked.set_value(); }));
    asked.get_future().wait();
  }
}

TEST(CoreThread, TriesNoPodWhileTooManyBindingsAreUnanswered) {
  constexpr size_t kPods = 600;
  constexpr size_t kMax = 512;
  const runtime::Clock clock;
  Bindings bindings;
  CoreThread thread({.core = scheduler::Core::Create(scheduler::DefaultConfiguration(), plugins::BuiltIn(), {},
                                                     std::make_unique<framework::SmallestNameChooser>(), clock.Now())
                                 .value(),
                     .recording = nullptr,
                     .clock = clock,
                     .carry_out = [&](std::vector<client::Order> orders) { bindings.Add(orders); },
                     .on_emptied = [] {}});
  for (int i = 0; i < 10; ++i) {
    api::Node node = cluster::NodeBuilder("node-" + std::to_string(i)).Capacity("1000", "1000Gi");
    thread.inbox().Push(scheduler::PutObject{std::move(node)});
  }
  for (size_t i = 0; i < kPods; ++i) {
    api::Pod pod = scheduler::Pod("pod-" + std::to_string(i));
    thread.inbox().Push(scheduler::PutObject{std::move(pod)});
  }

  thread.inbox().Push(CoreThread::StartScheduling{});
  ASSERT_TRUE(bindings.Await(kMax));
  Pass(thread, 2 * static_cast<int>(kPods - kMax));
  EXPECT_EQ(bindings.ids().size(), kMax);

  for (const uint64_t id : bindings.ids()) {
    thread.inbox().Push(scheduler::EffectAnswer{id, scheduler::EffectAnswer::Code::kOk, ""});
  }
  EXPECT_TRUE(bindings.Await(kPods));
}

}  // namespace
}  // namespace berth::scheduler_app
