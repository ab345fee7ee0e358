// SPDX-License-Identifier: Apache-2.0
// TimerQueue: work by the time when it is due.
//
// Work that is due at the same time is run in the order in which it came.
//
// Thread: one.

#pragma once

#include <algorithm>
#include <boost/unordered/unordered_flat_map.hpp>
#include <map>
#include <optional>
#include <utility>

#include "base/time.h"
#include "runtime/clock.h"
#include "runtime/timers.h"

namespace berth::net {

class TimerQueue {
 public:
  using Id = runtime::Timers::Id;
  using Work = runtime::Timers::Work;

  explicit TimerQueue(const runtime::Clock& clock) : clock_(clock) {}

  Id Add(Duration delay, Work work) {
    const Id id = ++last_id_;
    const Time at = clock_.Now() + std::max(delay, Duration{});
    due_.emplace(id, at);
    work_.emplace(Key{at, id}, std::move(work));
    return id;
  }

  void Cancel(Id id) {
    const auto it = due_.find(id);
    if (it == due_.end()) return;
    // The work goes last: its captures may use the queue as they are destroyed.
    const auto node = work_.extract(Key{it->second, id});
    due_.erase(it);
  }

  // When there is something to do; nothing: never.
  std::optional<Time> next() const { return work_.empty() ? std::nullopt : std::optional(work_.begin()->first.first); }
  bool IsDue(Time now) const { return !work_.empty() && work_.begin()->first.first <= now; }

  // Runs what is due now, for so long; what that work adds waits for the next time. Returns when it ended.
  Time RunDue(Duration turn) {
    const Time begin = clock_.Now();
    const Key end{begin, last_id_ + 1};
    Time now = begin;
    while (!work_.empty() && work_.begin()->first < end && now - begin < turn) {
      auto node = work_.extract(work_.begin());
      due_.erase(node.key().second);
      node.mapped()();
      now = clock_.Now();
    }
    return now;
  }

 private:
  using Key = std::pair<Time, Id>;

  const runtime::Clock& clock_;
  std::map<Key, Work> work_;
  boost::unordered_flat_map<Id, Time> due_;
  Id last_id_ = 0;
};

}  // namespace berth::net
