// SPDX-License-Identifier: Apache-2.0
// Timestamps: sums, calendar fields, zones and texts.

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "cel/value.h"

namespace berth::cel {

// A timestamp, or an error outside of the years 1 to 9999.
Value AddToTime(const Timestamp& time, int64_t nanos);
// A duration, or an error if it does not fit.
Value TimeBetween(const Timestamp& later, const Timestamp& earlier);

bool IsTimestampSecond(int64_t seconds);
std::optional<Timestamp> ParseTimestamp(std::string_view text);
// RFC 3339 with as many digits of a second as there are.
std::string FormatTimestamp(const Timestamp& time);

// The instant on a calendar and a clock.
struct CalendarTime {
  int64_t year = 0;
  int64_t month = 0;  // From 0.
  int64_t day = 0;    // From 1.
  int64_t day_of_week = 0;
  int64_t day_of_year = 0;  // From 0.
  int64_t hours = 0;
  int64_t minutes = 0;
  int64_t seconds = 0;
};
// In a zone such as UTC, +01:00 or Europe/Berlin.
Result<CalendarTime> InZone(const Timestamp& time, std::string_view zone);

// A duration in seconds as Go prints it, such as 90.5s.
std::string FormatSeconds(int64_t nanos);

}  // namespace berth::cel
