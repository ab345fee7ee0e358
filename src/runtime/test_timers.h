// SPDX-License-Identifier: Apache-2.0
// TestTimers: a virtual clock that stands still until the test advances it.

#pragma once

#include "base/time.h"
#include "runtime/agenda.h"

namespace berth::runtime {

class TestTimers final : public Agenda {
 public:
  explicit TestTimers(Time start = {1'767'225'600'000'000'000}) : Agenda(start) {}  // 2026-01-01T00:00:00Z

  Time WallNow() const override { return now() + wall_jump_; }

  // Runs all work that is due until then, in the order of its time, also that which such work asks for.
  void Advance(Duration duration) { RunUntil(now() + duration); }
  // Runs what is due now.
  void Run() { Advance({}); }
  // Advances to the next pending work and runs it. False if nothing is pending.
  bool AdvanceToNext() {
    if (empty()) return false;
    RunNext();
    return true;
  }
  size_t pending() const { return size(); }
  // The machine's clock is set.
  void JumpWall(Duration step) { wall_jump_ = wall_jump_ + step; }

 private:
  Duration wall_jump_{};
};

}  // namespace berth::runtime
