// SPDX-License-Identifier: Apache-2.0
// TestTimers: a virtual clock that stands still until the test advances it.

#pragma once

#include <algorithm>
#include <map>
#include <utility>

#include "base/time.h"
#include "runtime/timers.h"

namespace berth::runtime {

class TestTimers final : public runtime::Timers {
 public:
  explicit TestTimers(Time start = {1'767'225'600'000'000'000}) : now_(start) {}  // 2026-01-01T00:00:00Z

  Time Now() const override { return now_; }
  Time WallNow() const override { return now_ + wall_jump_; }
  Id After(Duration delay, Work work) override {
    Id id = ++last_id_;
    pending_.emplace(std::pair(now_ + std::max(delay, Duration{}), id), std::move(work));
    return id;
  }
  void Cancel(Id id) override {
    std::erase_if(pending_, [id](const auto& entry) { return entry.first.second == id; });
  }

  // Runs all work that is due until then, in the order of its time, also that which such work asks for.
  void Advance(Duration duration) {
    Time end = now_ + duration;
    while (!pending_.empty() && pending_.begin()->first.first <= end) RunFirst();
    now_ = end;
  }
  // Runs what is due now.
  void Run() { Advance({}); }
  // Advances to the next pending work and runs it. False if nothing is pending.
  bool AdvanceToNext() {
    if (pending_.empty()) return false;
    RunFirst();
    return true;
  }
  size_t pending() const { return pending_.size(); }
  // The machine's clock is set.
  void JumpWall(Duration step) { wall_jump_ = wall_jump_ + step; }

 private:
  void RunFirst() {
    auto first = pending_.extract(pending_.begin());
    now_ = std::max(now_, first.key().first);
    first.mapped()();
  }

  Time now_;
  Duration wall_jump_{};
  Id last_id_ = 0;
  std::map<std::pair<Time, Id>, Work> pending_;
};

}  // namespace berth::runtime
