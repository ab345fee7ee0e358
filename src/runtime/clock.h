// SPDX-License-Identifier: Apache-2.0
// Clock: the time of day, which never goes back.
//
// It reads the wall clock once and counts on from there, so that a correction of the machine's clock neither repeats nor skips time.
//
// Thread: any.

#pragma once

#include <chrono>

#include "base/time.h"

namespace berth::runtime {

class Clock {
 public:
  Time Now() const {
    const auto elapsed = std::chrono::steady_clock::now() - steady_start_;
    return wall_start_ + Duration{std::chrono::duration_cast<std::chrono::nanoseconds>(elapsed).count()};
  }

 private:
  static Time WallNow() {
    const auto since_epoch = std::chrono::system_clock::now().time_since_epoch();
    return Time{std::chrono::duration_cast<std::chrono::nanoseconds>(since_epoch).count()};
  }

  Time wall_start_ = WallNow();
  std::chrono::steady_clock::time_point steady_start_ = std::chrono::steady_clock::now();
};

}  // namespace berth::runtime
