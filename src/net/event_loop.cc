// SPDX-License-Identifier: Apache-2.0
#include "net/event_loop.h"

#include <algorithm>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/signal_set.hpp>
#include <boost/asio/steady_timer.hpp>
#include <chrono>
#include <deque>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

#include "net/timer_queue.h"

namespace berth::net {

namespace asio = boost::asio;

namespace {

// Timers that are due and sockets that are ready take turns, and the background comes behind both. If there is more to
// do than there is time for, timers get a tenth of it, since those on the other side of a socket wait for an answer,
// and so does the background.
constexpr int64_t kOthersShare = 9;
constexpr Duration kTurnMin{100'000};
constexpr Duration kTurnMax = Milliseconds(2);
// Who was answered often asks again at once, and may need this processor to do so: the background waits so long for it.
constexpr Duration kAnticipation{100'000};

}  // namespace

struct EventLoop::Impl {
  struct Signal {
    Signal(asio::io_context& context, std::move_only_function<void()> on_signal)
        : set(context), handler(std::move(on_signal)) {}
    asio::signal_set set;
    std::move_only_function<void()> handler;
  };

  struct Background : runtime::Timers {
    explicit Background(Impl& its_impl) : impl(its_impl) {}
    Time Now() const override { return impl.clock.Now(); }
    Time WallNow() const override { return impl.clock.Wall(); }
    Id After(Duration delay, Work work) override { return impl.background_timers.Add(delay, std::move(work)); }
    void Cancel(Id id) override { impl.background_timers.Cancel(id); }
    Impl& impl;
  };

  explicit Impl(runtime::Clock its_clock) : clock(std::move(its_clock)) {}

  asio::io_context context{1};
  asio::executor_work_guard<asio::io_context::executor_type> guard = asio::make_work_guard(context);

  std::mutex mutex;
  std::vector<Work> posted;  // Guarded by mutex.

  const runtime::Clock clock;

  TimerQueue timers{clock};
  TimerQueue background_timers{clock};
  Background background{*this};
  Time timers_ended{};     // Their last turn.
  Time background_owed{};  // When the background has a turn, whatever else there is to do.
  Time served{};           // The last time that a socket was.
  bool is_own = false;     // What ran last was nothing of a socket.
  // All share one timer of the system's, set to the earliest of them.
  asio::steady_timer alarm{context};
  Time alarm_at{INT64_MAX};

  std::deque<Signal> signals;

  void RunPosted() {
    is_own = true;
    std::vector<Work> batch;
    {
      const std::lock_guard lock(mutex);
      batch.swap(posted);
    }
    for (Work& work : batch) work();
  }

  // Waits until there is something to do, and does one thing unless that is a timer.
  void Wait() {
    if (const std::optional<Time> next = timers.next()) SetAlarm(*next);
    if (const std::optional<Time> next = background_timers.next()) SetAlarm(std::max(*next, BackgroundStart()));
    context.run_one();
    NoteServed(clock.Now());
  }

  // When the background may begin if nothing else comes.
  Time BackgroundStart() const { return std::min(served + kAnticipation, background_owed); }

  void NoteServed(Time now) {
    if (!std::exchange(is_own, false)) served = now;
  }

  void SetAlarm(Time at) {
    if (at >= alarm_at) return;
    alarm_at = at;
    alarm.expires_after(std::chrono::nanoseconds((at - clock.Now()).nanos));
    alarm.async_wait([this](boost::system::error_code error) {
      is_own = true;
      if (!error) alarm_at = Time{INT64_MAX};
    });
  }

  // A timer is due.
  void TakeTurns() {
    bool is_busy = ServeSockets();
    const Time begin = clock.Now();
    if (timers.IsDue(begin)) {
      const Duration turn{(begin - timers_ended).nanos / kOthersShare};
      timers_ended = timers.RunDue(std::clamp(turn, kTurnMin, kTurnMax));
      is_busy = is_busy || timers.IsDue(timers_ended);
    }
    const Time now = clock.Now();
    if (!background_timers.IsDue(now) || now < (is_busy ? background_owed : BackgroundStart())) return;
    const Duration turn = std::min(background_timers.RunDue(kTurnMin) - now, kTurnMax);
    background_owed = now + turn * (kOthersShare + 1);
  }

  // For a while, or until the background has a turn. Returns whether there may be more to do.
  bool ServeSockets() {
    const Time now = clock.Now();
    const Time latest = now + kTurnMin * kOthersShare;
    const Time end = background_timers.IsDue(now) ? std::min(latest, background_owed) : latest;
    while (context.poll_one() > 0) {
      const Time served_at = clock.Now();
      NoteServed(served_at);
      if (served_at >= end) return true;
    }
    return false;
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
  asio::io_context& context = impl_->context;
  if (context.stopped()) context.restart();
  while (!context.stopped()) {
    const Time now = Now();
    const bool is_due =
        impl_->timers.IsDue(now) || (impl_->background_timers.IsDue(now) && now >= impl_->BackgroundStart());
    is_due ? impl_->TakeTurns() : impl_->Wait();
  }
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

EventLoop::Id EventLoop::After(Duration delay, Work work) { return impl_->timers.Add(delay, std::move(work)); }

void EventLoop::Cancel(Id id) { impl_->timers.Cancel(id); }

runtime::Timers& EventLoop::background() { return impl_->background; }

void EventLoop::OnSignal(int signal, std::move_only_function<void()> handler) {
  Impl::Signal& added = impl_->signals.emplace_back(impl_->context, std::move(handler));
  added.set.add(signal);
  impl_->Await(added);
}

asio::io_context& EventLoop::context() { return impl_->context; }

}  // namespace berth::net
