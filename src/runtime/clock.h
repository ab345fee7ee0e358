// SPDX-License-Identifier: Apache-2.0
// Clock: two readings of time, one to measure by and one to write down.
//
// Now() begins at the time of day and counts on evenly from there, whatever happens to the machine's clock: durations,
// deadlines and the order of inputs go by it. Wall() is the time of day as the machine knows it at that moment. It
// jumps, also backwards, when the machine's clock is set or the machine was suspended, so it is only ever written
// into objects and compared with times that stand in objects.
//
// Thread: any.

#pragma once

#include <chrono>
#include <functional>
#include <utility>

#include "base/time.h"

namespace berth::runtime {

class Clock {
 public:
  using WallSource = std::function<Time()>;  // Thread: any.

  explicit Clock(WallSource wall = SystemTime) : wall_(std::move(wall)) {}

  Time Now() const {
    const auto elapsed = std::chrono::steady_clock::now() - steady_start_;
    return wall_start_ + Duration{std::chrono::duration_cast<std::chrono::nanoseconds>(elapsed).count()};
  }
  Time Wall() const { return wall_(); }

  static Time SystemTime() {
    const auto since_epoch = std::chrono::system_clock::now().time_since_epoch();
    return Time{std::chrono::duration_cast<std::chrono::nanoseconds>(since_epoch).count()};
  }

 private:
  WallSource wall_;
  Time wall_start_ = wall_();
  std::chrono::steady_clock::time_point steady_start_ = std::chrono::steady_clock::now();
};

}  // namespace berth::runtime
