// SPDX-License-Identifier: Apache-2.0
// Agenda: what is going to happen in the simulated world, in order of virtual time.
//
// Things planned for the same time happen in the order in which they were planned, so a run depends on nothing but what
// was planned.

#pragma once

#include <algorithm>
#include <functional>
#include <map>
#include <optional>
#include <utility>

#include "base/time.h"

namespace berth::sim {

class Agenda {
 public:
  explicit Agenda(Time start) : now_(start) {}
  Agenda(const Agenda&) = delete;
  Agenda& operator=(const Agenda&) = delete;

  Time now() const { return now_; }
  // The time of the next thing, if there is one.
  std::optional<Time> next() const {
    return plans_.empty() ? std::nullopt : std::optional(plans_.begin()->first.first);
  }
  void At(Time time, std::move_only_function<void()> what) {
    plans_.emplace(std::pair(std::max(time, now_), ++planned_), std::move(what));
  }
  void After(Duration delay, std::move_only_function<void()> what) { At(now_ + delay, std::move(what)); }

  // Time passes, never backwards.
  void PassTo(Time time) { now_ = std::max(now_, time); }
  // Lets the next thing happen. REQUIRES: there is one.
  void RunNext() {
    auto plan = plans_.extract(plans_.begin());
    PassTo(plan.key().first);
    plan.mapped()();
  }

 private:
  Time now_;
  uint64_t planned_ = 0;
  std::map<std::pair<Time, uint64_t>, std::move_only_function<void()>> plans_;
};

}  // namespace berth::sim
