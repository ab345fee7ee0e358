// SPDX-License-Identifier: Apache-2.0
#include "cel/clock_time.h"

#include <fmt/format.h>

#include <chrono>

#include "api/document/field_error.h"
#include "base/zoned_time.h"
#include "cel/numbers.h"
#include "cel/time_zones.h"

namespace berth::cel {
namespace {

constexpr int64_t kNanosPerSecond = 1'000'000'000;
constexpr int64_t kSecondsPerDay = 86'400;
constexpr int64_t kSecondsMin = -62135596800;  // The first second of the year 1, and the last one of 9999.
constexpr int64_t kSecondsMax = 253402300799;

CalendarTime CalendarAt(int64_t seconds) {
  const int64_t day_number = seconds / kSecondsPerDay - (seconds % kSecondsPerDay < 0 ? 1 : 0);
  const int64_t second_of_day = seconds - day_number * kSecondsPerDay;
  const std::chrono::sys_days day{std::chrono::days(day_number)};
  const std::chrono::year_month_day date(day);
  const std::chrono::sys_days new_year(date.year() / std::chrono::January / 1);
  return {.year = static_cast<int>(date.year()),
          .month = static_cast<unsigned>(date.month()) - 1,
          .day = static_cast<unsigned>(date.day()),
          .day_of_week = std::chrono::weekday(day).c_encoding(),
          .day_of_year = (day - new_year).count(),
          .hours = second_of_day / 3600,
          .minutes = second_of_day / 60 % 60,
          .seconds = second_of_day % 60};
}

Result<int64_t> ReadAtoi(std::string_view text) {
  if (const std::optional<int64_t> number = ParseGoInt(text)) return *number;
  return Invalid(fmt::format("strconv.Atoi: parsing {}: invalid syntax", api::GoQuote(text)));
}

Result<int64_t> OffsetOf(std::string_view zone, int64_t seconds) {
  const size_t colon = zone.find(':');
  if (colon == zone.npos) {
    if (const std::optional<int> offset = ZoneOffset(zone, seconds)) return *offset;
    return Invalid(fmt::format("unknown time zone {}", zone));
  }
  const int64_t hours = BERTH_TRY(ReadAtoi(zone.substr(0, colon)));
  const int64_t minutes = BERTH_TRY(ReadAtoi(zone.substr(colon + 1)));
  constexpr int64_t kHoursMax = 1'000'000;  // Far beyond any calendar; keeps the sums in range.
  if (hours < -kHoursMax || hours > kHoursMax || minutes < -kHoursMax || minutes > kHoursMax) {
    return Invalid(fmt::format("time zone offset {} is out of range", zone));
  }
  return (hours * 60 + (zone[0] == '-' ? -minutes : minutes)) * 60;
}

}  // namespace

Value AddToTime(const Timestamp& time, int64_t nanos) {
  int64_t seconds = time.seconds + nanos / kNanosPerSecond;
  int64_t rest = static_cast<int64_t>(time.nanos) + nanos % kNanosPerSecond;
  if (rest < 0) {
    rest += kNanosPerSecond;
    --seconds;
  } else if (rest >= kNanosPerSecond) {
    rest -= kNanosPerSecond;
    ++seconds;
  }
  if (!IsTimestampSecond(seconds)) return Value::Error("timestamp overflow");
  return Value::Time({seconds, static_cast<uint32_t>(rest), time.zone_minutes});
}

Value TimeBetween(const Timestamp& later, const Timestamp& earlier) {
  int64_t nanos = 0;
  if (__builtin_mul_overflow(later.seconds - earlier.seconds, kNanosPerSecond, &nanos) ||
      __builtin_add_overflow(nanos, static_cast<int64_t>(later.nanos) - static_cast<int64_t>(earlier.nanos), &nanos)) {
    return Value::Error("integer overflow");
  }
  return Value::Duration(nanos);
}

bool IsTimestampSecond(int64_t seconds) { return seconds >= kSecondsMin && seconds <= kSecondsMax; }

std::optional<Timestamp> ParseTimestamp(std::string_view text) {
  const std::optional<ZonedTime> time = ParseZonedTime(text);
  if (!time) return std::nullopt;
  return Timestamp{time->seconds, static_cast<uint32_t>(time->nanos), static_cast<int16_t>(time->offset_seconds / 60)};
}

std::string FormatTimestamp(const Timestamp& time) {
  const CalendarTime at = CalendarAt(time.seconds + int64_t{time.zone_minutes} * 60);
  std::string text = fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}", at.year, at.month + 1, at.day, at.hours,
                                 at.minutes, at.seconds);
  if (time.nanos != 0) {
    std::string digits = fmt::format("{:09}", time.nanos);
    digits.erase(digits.find_last_not_of('0') + 1);
    text += "." + digits;
  }
  if (time.zone_minutes == 0) return text + "Z";
  const int minutes = time.zone_minutes < 0 ? -time.zone_minutes : time.zone_minutes;
  return text + fmt::format("{}{:02}:{:02}", time.zone_minutes < 0 ? '-' : '+', minutes / 60, minutes % 60);
}

Result<CalendarTime> InZone(const Timestamp& time, std::string_view zone) {
  return CalendarAt(time.seconds + BERTH_TRY(OffsetOf(zone, time.seconds)));
}

std::string FormatSeconds(int64_t nanos) {
  const double seconds = static_cast<double>(nanos / kNanosPerSecond) +
                         static_cast<double>(nanos % kNanosPerSecond) / static_cast<double>(kNanosPerSecond);
  return FormatShortest(seconds) + "s";
}

}  // namespace berth::cel
