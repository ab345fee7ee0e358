// SPDX-License-Identifier: Apache-2.0
// CronTimes: when a CronJob should run, by its schedule and time zone and by when it ran last.

#pragma once

#include <optional>
#include <string>
#include <utility>

#include "base/result.h"
#include "base/time.h"
#include "server/kinds/workloads/cron_schedule.h"
#include "server/model/json.h"

namespace berth::server {

class CronTimes {
 public:
  struct Due {
    std::optional<Time> last = {};  // The last time up to now at which it should have run and did not.
    bool missed_some = false;       // So many that they were not counted one by one,
    bool missed_many = false;       // or more than a hundred.
  };

  // Fails with upstream's text. A time zone that is not known is UTC.
  static Result<CronTimes> Of(const Json& cron_job);

  const std::string& zone() const { return zone_; }
  // Within its starting deadline. Fails with upstream's text if it never runs.
  Result<Due> DueAt(Time now) const;
  // From `now` until it should be looked at next. Nothing: it never runs.
  std::optional<Duration> UntilNext(Time now) const;

 private:
  CronTimes(CronSchedule schedule, std::string zone) : schedule_(schedule), zone_(std::move(zone)) {}

  Result<Due> DueAfter(Time since, Time now) const;
  // The last time up to now, of which `time` is one.
  Time LastUpTo(Time now, Time time) const;

  CronSchedule schedule_;
  std::string zone_;
  Time since_;  // When it was made, or ran last.
  std::optional<Duration> starting_deadline_;
};

}  // namespace berth::server
