// SPDX-License-Identifier: Apache-2.0
// Agenda: a virtual clock, and what is going to happen by it.
//
// Things planned for the same time happen in the order in which they were planned, so a run depends on nothing but what
// was planned. Time stands still in between.
//
// Thread: one.

#pragma once

#include <algorithm>
#include <map>
#include <optional>
#include <unordered_map>
#include <utility>

#include "base/time.h"
#include "runtime/timers.h"

namespace berth::runtime {

class Agenda : public Timers {
 public:
  explicit Agenda(Time start) : now_(start) {}
  Agenda(const Agenda&) = delete;
  Agenda& operator=(const Agenda&) = delete;

  Time now() const { return now_; }
  Time Now() const override { return now_; }
  Time WallNow() const override { return now_; }

  // What was to happen earlier happens now.
  Id At(Time time, Work work) {
    const Id id = ++last_id_;
    const Time at = std::max(time, now_);
    times_.emplace(id, at);
    plans_.emplace(std::pair(at, id), std::move(work));
    return id;
  }
  Id After(Duration delay, Work work) override { return At(now_ + delay, std::move(work)); }
  void Cancel(Id id) override {
    const auto found = times_.find(id);
    if (found == times_.end()) return;
    // The work goes last: what it holds may use the agenda as it goes.
    const auto plan = plans_.extract(std::pair(found->second, id));
    times_.erase(found);
  }

  // Nothing of what was planned happens.
  void Clear() {
    while (!plans_.empty()) Cancel(plans_.begin()->first.second);
  }

  bool empty() const { return plans_.empty(); }
  size_t size() const { return plans_.size(); }
  // The time of the next thing, if there is one.
  std::optional<Time> next() const {
    return plans_.empty() ? std::nullopt : std::optional(plans_.begin()->first.first);
  }

  // Time passes, never backwards.
  void PassTo(Time time) { now_ = std::max(now_, time); }
  // Lets the next thing happen. REQUIRES: there is one.
  void RunNext() {
    auto plan = plans_.extract(plans_.begin());
    times_.erase(plan.key().second);
    PassTo(plan.key().first);
    plan.mapped()();
  }
  // Lets all happen that is due until then, also what is planned meanwhile.
  void RunUntil(Time end) {
    while (next() && *next() <= end) RunNext();
    PassTo(end);
  }

 private:
  Time now_;
  Id last_id_ = 0;
  std::map<std::pair<Time, Id>, Work> plans_;
  std::unordered_map<Id, Time> times_;  // Of the plans.
};

}  // namespace berth::runtime
