// SPDX-License-Identifier: Apache-2.0
// EventLoop: the sockets, timers and signals of one thread.
//
// Its times are those of its clock; see runtime/clock.h.
//
// Thread: the one in Run(), except Post and Stop, which any thread may call. Before Run() and after it, the thread that
// owns the loop.

#pragma once

#include <functional>
#include <memory>

#include "base/time.h"
#include "runtime/clock.h"
#include "runtime/timers.h"

namespace boost::asio {
class io_context;
}

namespace berth::net {

class EventLoop : public runtime::Timers {
 public:
  explicit EventLoop(runtime::Clock clock = runtime::Clock());
  ~EventLoop() override;
  EventLoop(const EventLoop&) = delete;
  EventLoop& operator=(const EventLoop&) = delete;

  // Runs until Stop(), also when there is nothing to do. May be called again.
  void Run();
  void Stop();

  // Work posted by one thread runs in its order. Many posts in a row wake the loop once.
  void Post(Work work);

  Time Now() const override { return clock().Now(); }
  Time WallNow() const override { return clock().Wall(); }
  // Thread: any.
  const runtime::Clock& clock() const;
  Id After(Duration delay, Work work) override;
  void Cancel(Id id) override;

  // The same clock, for work that nobody outside is waiting for. It is run when there is nothing else to do, but gets a
  // tenth of the time at least. REQUIRES: the loop outlives those who use it.
  runtime::Timers& background();

  // From now on the signal calls `handler` instead of ending the process.
  void OnSignal(int signal, std::move_only_function<void()> handler);

  // For the other files of this module.
  boost::asio::io_context& context();

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace berth::net
