// SPDX-License-Identifier: Apache-2.0
#include "net/event_loop.h"

#include <algorithm>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/signal_set.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/unordered/unordered_flat_map.hpp>
#include <chrono>
#include <deque>
#include <map>
#include <mutex>
#include <utility>
#include <vector>

namespace berth::net {

namespace asio = boost::asio;

namespace {

// Timers that are due and sockets that are ready take turns. If both have more to do than there is time for, timers get
// a tenth of it: those on the other side of a socket wait for an answer.
constexpr int64_t kSocketsPerTimer = 9;
constexpr Duration kTimerTurnMin{100'000};
constexpr Duration kTimerTurnMax = Milliseconds(2);

}  // namespace

struct EventLoop::Impl {
  struct Signal {
    Signal(asio::io_context& context, std::move_only_function<void()> on_signal)
        : set(context), handler(std::move(on_signal)) {}
    asio::signal_set set;
    std::move_only_function<void()> handler;
  };

  explicit Impl(runtime::Clock its_clock) : clock(std::move(its_clock)) {}

  asio::io_context context{1};
  asio::executor_work_guard<asio::io_context::executor_type> guard = asio::make_work_guard(context);

  std::mutex mutex;
  std::vector<Work> posted;  // Guarded by mutex.

  const runtime::Clock clock;

  // All timers share one of the system's, set to the earliest of them.
  using Key = std::pair<Time, Id>;
  std::map<Key, Work> timers;
  boost::unordered_flat_map<Id, Time> due;
  Id last_id = 0;
  asio::steady_timer alarm{context};
  Time alarm_at{INT64_MAX};
  Time timers_ended{};  // The last turn of timers.

  std::deque<Signal> signals;

  void RunPosted() {
    std::vector<Work> batch;
    {
      const std::lock_guard lock(mutex);
      batch.swap(posted);
    }
    for (Work& work : batch) work();
  }

  void SetAlarm() {
    if (timers.empty() || timers.begin()->first.first >= alarm_at) return;
    alarm_at = timers.begin()->first.first;
    const Duration left = alarm_at - clock.Now();
    if (left <= Duration{}) return asio::post(context, [this] { Ring(); });
    alarm.expires_after(std::chrono::nanoseconds(left.nanos));
    alarm.async_wait([this](boost::system::error_code error) {
      if (!error) Ring();
    });
  }

  void Ring() {
    alarm_at = Time{INT64_MAX};
    RunTimers();
    SetAlarm();
  }

  // Runs what is due now, for a while; what that work adds waits for the next round.
  void RunTimers() {
    const Time begin = clock.Now();
    const Duration turn{(begin - timers_ended).nanos / kSocketsPerTimer};
    const Time turn_end = begin + std::clamp(turn, kTimerTurnMin, kTimerTurnMax);
    const Key end{begin, last_id + 1};
    while (!timers.empty() && timers.begin()->first < end) {
      auto node = timers.extract(timers.begin());
      due.erase(node.key().second);
      node.mapped()();
      if (clock.Now() >= turn_end) break;
    }
    timers_ended = clock.Now();
  }

  void Await(Signal& signal) {
    signal.set.async_wait([this, &signal](boost::system::error_code error, int) {
      if (error) return;
      Await(signal);
      signal.handler();
    });
  }
};

EventLoop::EventLoop(runtime::Clock clock) : impl_(std::make_unique<Impl>(std::move(clock))) {}
EventLoop::~EventLoop() = default;

void EventLoop::Run() {
  if (impl_->context.stopped()) impl_->context.restart();
  impl_->context.run();
}

void EventLoop::Stop() { impl_->context.stop(); }

void EventLoop::Post(Work work) {
  bool wake = false;
  {
    const std::lock_guard lock(impl_->mutex);
    wake = impl_->posted.empty();
    impl_->posted.push_back(std::move(work));
  }
  if (wake) asio::post(impl_->context, [impl = impl_.get()] { impl->RunPosted(); });
}

const runtime::Clock& EventLoop::clock() const { return impl_->clock; }

EventLoop::Id EventLoop::After(Duration delay, Work work) {
  const Id id = ++impl_->last_id;
  const Time at = Now() + std::max(delay, Duration{});
  impl_->due.emplace(id, at);
  impl_->timers.emplace(Impl::Key{at, id}, std::move(work));
  impl_->SetAlarm();
  return id;
}

void EventLoop::Cancel(Id id) {
  const auto it = impl_->due.find(id);
  if (it == impl_->due.end()) return;
  // The work goes last: its captures may use the loop as they are destroyed.
  const auto node = impl_->timers.extract(Impl::Key{it->second, id});
  impl_->due.erase(it);
}

void EventLoop::OnSignal(int signal, std::move_only_function<void()> handler) {
  Impl::Signal& added = impl_->signals.emplace_back(impl_->context, std::move(handler));
  added.set.add(signal);
  impl_->Await(added);
}

asio::io_context& EventLoop::context() { return impl_->context; }

}  // namespace berth::net
