// SPDX-License-Identifier: Apache-2.0
#include "server/controllers/jobs/cron_times.h"

#include <algorithm>

namespace berth::server {
namespace {

constexpr int64_t kSecondNanos = 1'000'000'000;
constexpr int64_t kManyMissed = 100;
constexpr int kStepsMax = 100;
// Clocks may differ a little.
constexpr Duration kMargin = Milliseconds(100);

}  // namespace

Result<CronTimes> CronTimes::Of(const Json& cron_job) {
  const Json& spec = cron_job["spec"];
  CronTimes times(BERTH_TRY(CronSchedule::Parse(spec["schedule"].text())), spec["timeZone"].text());
  const Result<Time> ran = ParseTime(cron_job["status"]["lastScheduleTime"].text());
  times.since_ = ran ? *ran : ParseTime(cron_job["metadata"]["creationTimestamp"].text()).value_or(Time{});
  if (const std::optional<int64_t> deadline = spec["startingDeadlineSeconds"].AsInt()) {
    times.starting_deadline_ = Seconds(*deadline);
  }
  return times;
}

Result<CronTimes::Due> CronTimes::DueAt(Time now) const {
  return DueAfter(starting_deadline_ ? std::max(since_, now - *starting_deadline_) : since_, now);
}

Result<CronTimes::Due> CronTimes::DueAfter(Time since, Time now) const {
  const std::optional<Time> first = schedule_.Next(since, zone_);
  const std::optional<Time> second = first ? schedule_.Next(*first, zone_) : std::nullopt;
  if (!second) return Invalid("time difference between two schedules is less than 1 second");
  if (now < *first) return Due{};
  if (now < *second) return Due{.last = first};
  // Times may have been missed for years: they are not gone through one by one, but from one or two before now, taking
  // the first distance for that between all.
  const int64_t distance = std::max<int64_t>(1, (*second - *first).nanos / kSecondNanos);
  const int64_t missed = (now - *first).nanos / kSecondNanos / distance + 1;
  Due due{.missed_some = true, .missed_many = missed > kManyMissed};
  const std::optional<Time> next = schedule_.Next(*first + Seconds(distance) * (missed - 2), zone_);
  if (next && *next <= now) due.last = LastUpTo(now, *next);
  return due;
}

Time CronTimes::LastUpTo(Time now, Time time) const {
  Time end = now;  // There is none behind it.
  for (int steps = 0;; ++steps) {
    // Where many are close together, halves of them are left out. Intervals (@every) never come so far, and may not, as
    // they count from where one looks.
    const bool halves = steps > kStepsMax && end - time > Minutes(1);
    const Time from = halves ? time + Duration{(end - time).nanos / 2} : time;
    const std::optional<Time> next = schedule_.Next(from, zone_);
    if (next && *next <= now) {
      time = *next;
    } else if (halves) {
      end = from;
    } else {
      return time;
    }
  }
}

std::optional<Duration> CronTimes::UntilNext(Time now) const {
  const Result<Due> due = DueAfter(since_, now);
  const Time none_since = !due || due->missed_some ? now : since_;
  const std::optional<Time> next = schedule_.Next(due && due->last ? *due->last : none_since, zone_);
  return next ? std::optional(*next + kMargin - now) : std::nullopt;
}

}  // namespace berth::server
