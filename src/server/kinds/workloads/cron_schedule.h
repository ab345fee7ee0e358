// SPDX-License-Identifier: Apache-2.0
// Schedules of cron jobs: five fields, or a name such as @daily.

#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

#include "base/result.h"
#include "base/time.h"

namespace berth::server {

class CronSchedule {
 public:
  // Fails with upstream's text.
  static Result<CronSchedule> Parse(std::string_view schedule);

  // The first time after `time` by the clocks of a zone, of UTC if it is not known; a time zone in the schedule is left
  // out. Nothing: never, or not in the next years.
  std::optional<Time> Next(Time time, std::string_view zone = {}) const;

 private:
  enum Field : uint8_t { kMinute, kHour, kDay, kMonth, kWeekday, kFieldCount };

  bool Has(Field field, unsigned value) const { return (allowed_[field] >> value & 1) != 0; }
  bool IsDay(unsigned day, unsigned weekday) const;
  // By clocks that are never changed.
  std::optional<Time> NextByClock(Time time) const;

  std::array<uint64_t, kFieldCount> allowed_{};  // A bit for each value.
  // A day may be any, by its date or its weekday; if both are restricted, one of them is enough.
  bool is_any_day_ = false;
  bool is_any_weekday_ = false;
  Duration every_{};  // Unless it is zero, the rest does not count.
};

// How far the clocks of a zone are ahead of UTC, by the rules that hold there now.
Duration ClocksAhead(std::string_view zone, Time time);

// Fails with upstream's text.
Result<void> CheckCronSchedule(std::string_view schedule);

}  // namespace berth::server
