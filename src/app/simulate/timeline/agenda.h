// SPDX-License-Identifier: Apache-2.0
// Agenda: the virtual clock, and what is to happen when. What is due at the same time happens in the order in which it
// was planned.

#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <utility>

#include "base/time.h"

namespace berth::simulate {

class Agenda {
 public:
  using Act = std::function<void()>;

  explicit Agenda(Time start) : now_(start) {}

  Time now() const { return now_; }
  // Time passes, never backwards.
  void AdvanceTo(Time time) { now_ = std::max(now_, time); }

  void Plan(Time at, Act act) { acts_.emplace(at, std::move(act)); }
  void PlanAfter(Duration delay, Act act) { Plan(now_ + delay, std::move(act)); }

  bool empty() const { return acts_.empty(); }
  std::optional<Time> next() const { return acts_.empty() ? std::nullopt : std::optional(acts_.begin()->first); }

  // REQUIRES: not empty.
  Act Take() {
    Act act = std::move(acts_.begin()->second);
    acts_.erase(acts_.begin());
    return act;
  }

 private:
  Time now_;
  std::multimap<Time, Act> acts_;  // Equal keys stay in order of insertion.
};

}  // namespace berth::simulate
