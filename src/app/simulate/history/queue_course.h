// SPDX-License-Identifier: Apache-2.0
// QueueCourse: how many pods waited in the course of time, on average over short intervals.
//
// A pod that waits for ten milliseconds every other second is seldom there when one looks; and if it is there whenever
// one looks, the queue seems to be busy half of the time. So every state counts for as long as it lasted.
//
// Cost: of each step a constant; memory for intervals that differ from the one before.

#pragma once

#include <vector>

#include "base/time.h"

namespace berth::simulate {

struct QueueCounts {
  double active = 0;
  double backoff = 0;
  double unschedulable = 0;
  double binding = 0;  // Have a node, but are not bound yet.

  bool operator==(const QueueCounts&) const = default;
};

struct QueueMean {
  Time from;  // It holds until the next.
  QueueCounts pods;
};

class QueueCourse {
 public:
  // REQUIRES: `interval` is more than 0.
  QueueCourse(Time start, Duration interval) : interval_(interval), begin_(start), now_(start) {}

  // From the last time until `to` there were so many.
  void Pass(Time to, const QueueCounts& pods);

  // The means up to the time of the last Pass. Call it once.
  std::vector<QueueMean> Take();

 private:
  void Emit(Time from, const QueueCounts& pods);
  void CloseInterval();

  Duration interval_;
  Time begin_;  // Of the interval that is under way.
  Time now_;
  QueueCounts sum_;  // Of this interval so far, times nanoseconds.
  std::vector<QueueMean> means_;
};

}  // namespace berth::simulate
