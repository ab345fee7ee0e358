// SPDX-License-Identifier: Apache-2.0
// Timers: what time it is, and work to be done later, on one thread.
//
// Protocol logic asks for both through this interface, so that a virtual clock can drive it.

#pragma once

#include <cstdint>
#include <functional>
#include <utility>

#include "base/time.h"

namespace berth::runtime {

class Timers {
 public:
  using Id = uint64_t;
  using Work = std::move_only_function<void()>;

  virtual ~Timers() = default;

  // To measure by: never goes back or jumps.
  virtual Time Now() const = 0;
  // The time of day, to be written down and compared with what was: it may jump either way.
  virtual Time WallNow() const = 0;
  // Runs `work` once, after `delay`, on the thread of the timers and never inside this call.
  virtual Id After(Duration delay, Work work) = 0;
  // The work will not be run. Harmless when it was.
  virtual void Cancel(Id id) = 0;
};

// At most one piece of pending work, cancelled when its owner goes.
//
// Thread: that of the timers.
class Timer {
 public:
  explicit Timer(Timers& timers) : timers_(timers) {}
  ~Timer() { Stop(); }
  Timer(const Timer&) = delete;
  Timer& operator=(const Timer&) = delete;

  // Replaces work that is still pending.
  void Start(Duration delay, Timers::Work work) {
    Stop();
    id_ = timers_.After(delay, [this, work = std::move(work)]() mutable {
      id_ = 0;
      // The work may start the timer again or destroy it.
      Timers::Work mine = std::move(work);
      mine();
    });
  }
  void Stop() {
    if (id_ != 0) timers_.Cancel(std::exchange(id_, 0));
  }
  bool is_running() const { return id_ != 0; }

 private:
  Timers& timers_;
  Timers::Id id_ = 0;  // Ids begin at 1.
};

}  // namespace berth::runtime
