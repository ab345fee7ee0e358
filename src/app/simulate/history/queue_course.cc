// SPDX-License-Identifier: Apache-2.0
#include "app/simulate/history/queue_course.h"

#include <algorithm>
#include <utility>

namespace berth::simulate {
namespace {

void AddWeighted(QueueCounts& sum, const QueueCounts& pods, double weight) {
  sum.active += pods.active * weight;
  sum.backoff += pods.backoff * weight;
  sum.unschedulable += pods.unschedulable * weight;
  sum.binding += pods.binding * weight;
}

}  // namespace

void QueueCourse::Pass(Time to, const QueueCounts& pods) {
  while (now_ < to) {
    const int64_t whole = (to - now_).nanos / interval_.nanos;
    if (now_ == begin_ && whole > 0) {
      Emit(now_, pods);
      begin_ = now_ = now_ + Duration{whole * interval_.nanos};
      continue;
    }
    const Time end = std::min(to, begin_ + interval_);
    AddWeighted(sum_, pods, static_cast<double>((end - now_).nanos));
    now_ = end;
    if (now_ == begin_ + interval_) CloseInterval();
  }
}

void QueueCourse::CloseInterval() {
  QueueCounts mean;
  AddWeighted(mean, sum_, 1 / static_cast<double>((now_ - begin_).nanos));
  Emit(begin_, mean);
  begin_ = now_;
  sum_ = {};
}

void QueueCourse::Emit(Time from, const QueueCounts& pods) {
  if (means_.empty() || means_.back().pods != pods) means_.push_back({from, pods});
}

std::vector<QueueMean> QueueCourse::Take() {
  if (begin_ < now_) CloseInterval();
  return std::move(means_);
}

}  // namespace berth::simulate
