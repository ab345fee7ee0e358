// SPDX-License-Identifier: Apache-2.0
#include "server/kinds/workloads/cron_schedule.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>
#include <span>
#include <string>
#include <vector>

#include "api/document/field_error.h"
#include "base/ascii.h"
#include "cel/time_zones.h"

namespace berth::server {
namespace {

struct Bounds {
  int64_t low;
  int64_t high;
  std::span<const std::string_view> names{};  // Of low, low + 1 and so on.
};

constexpr std::array<std::string_view, 12> kMonths = {"jan", "feb", "mar", "apr", "may", "jun",
                                                      "jul", "aug", "sep", "oct", "nov", "dec"};
constexpr std::array<std::string_view, 7> kDays = {"sun", "mon", "tue", "wed", "thu", "fri", "sat"};
constexpr std::array<Bounds, 5> kFieldBounds = {
    {{0, 59}, {0, 23}, {1, 31}, {.low = 1, .high = 12, .names = kMonths}, {.low = 0, .high = 6, .names = kDays}}};
struct Named {
  std::string_view name;
  std::string_view fields;
};
constexpr std::array<Named, 7> kNamed = {{{"@yearly", "0 0 1 1 *"},
                                          {"@annually", "0 0 1 1 *"},
                                          {"@monthly", "0 0 1 * *"},
                                          {"@weekly", "0 0 * * 0"},
                                          {"@daily", "0 0 * * *"},
                                          {"@midnight", "0 0 * * *"},
                                          {"@hourly", "0 * * * *"}}};
constexpr std::string_view kEvery = "@every ";
constexpr std::chrono::days kYearsAhead{5 * 366};
constexpr int kChangesAhead = 10;                       // Of clocks, in these years.
constexpr Duration kClocksStay = Minutes(7 * 24 * 60);  // Until they may be changed again.
constexpr unsigned kMinutesPerDay = 24 * 60;
constexpr int64_t kSecond = 1'000'000'000;
// Far enough from the ends of time to count some years on, about 1700 and 2250.
constexpr Time kFirst = Time{-8'500'000'000 * kSecond};
constexpr Time kLast = Time{8'800'000'000 * kSecond};

std::vector<std::string_view> Split(std::string_view text, std::string_view separators) {
  std::vector<std::string_view> parts;
  for (;;) {
    const size_t end = text.find_first_of(separators);
    parts.push_back(text.substr(0, end));
    if (end == text.npos) return parts;
    text.remove_prefix(end + 1);
  }
}

std::vector<std::string_view> SplitNonEmpty(std::string_view text, std::string_view separators) {
  std::vector<std::string_view> parts = Split(text, separators);
  std::erase_if(parts, [](std::string_view part) { return part.empty(); });
  return parts;
}

Result<int64_t> ParseNumber(std::string_view text) {
  std::string_view digits = text;
  if (digits.starts_with('+')) digits.remove_prefix(1);
  int64_t number = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
  if (error != std::errc() || end != digits.data() + digits.size()) {
    return Invalid(fmt::format("failed to parse int from {}: strconv.Atoi: parsing {}: {}", text, api::GoQuote(text),
                               error == std::errc::result_out_of_range ? "value out of range" : "invalid syntax"));
  }
  if (number < 0) return Invalid(fmt::format("negative number ({}) not allowed: {}", number, text));
  return number;
}

Result<int64_t> ParseNumberOrName(std::string_view text, const Bounds& bounds) {
  const auto name = std::ranges::find(bounds.names, Lower(text));
  if (name != bounds.names.end()) return bounds.low + (name - bounds.names.begin());
  return ParseNumber(text);
}

// `3`, `1-5`, `*` or any of them with `/2`, as a bit for each value.
Result<uint64_t> ParseRange(std::string_view text, const Bounds& bounds) {
  const std::vector<std::string_view> parts = Split(text, "/");
  const std::vector<std::string_view> ends = Split(parts.front(), "-");
  int64_t first = bounds.low;
  int64_t last = bounds.high;
  if (ends.front() != "*" && ends.front() != "?") {
    first = BERTH_TRY(ParseNumberOrName(ends.front(), bounds));
    if (ends.size() > 2) return Invalid(fmt::format("too many hyphens: {}", text));
    last = ends.size() == 1 ? first : BERTH_TRY(ParseNumberOrName(ends[1], bounds));
  }
  int64_t step = 1;
  if (parts.size() > 2) return Invalid(fmt::format("too many slashes: {}", text));
  if (parts.size() == 2) {
    step = BERTH_TRY(ParseNumber(parts[1]));
    if (ends.size() == 1) last = bounds.high;
  }
  if (first < bounds.low) {
    return Invalid(fmt::format("beginning of range ({}) below minimum ({}): {}", first, bounds.low, text));
  }
  if (last > bounds.high) {
    return Invalid(fmt::format("end of range ({}) above maximum ({}): {}", last, bounds.high, text));
  }
  if (first > last) {
    return Invalid(fmt::format("beginning of range ({}) beyond end of range ({}): {}", first, last, text));
  }
  if (step == 0) return Invalid(fmt::format("step of range should be a positive number: {}", text));
  uint64_t values = 0;
  for (int64_t value = first; value <= last; value += std::min(step, bounds.high + 1)) values |= uint64_t{1} << value;
  return values;
}

// Whether any of the ranges is everything.
bool IsAny(std::string_view field) {
  return std::ranges::any_of(SplitNonEmpty(field, ","), [](std::string_view range) {
    return range == "*" || range == "?" || range == "*/1" || range == "?/1";
  });
}

// The five fields of a name; "" if there is none.
std::string_view FieldsOf(std::string_view name) {
  const auto found = std::ranges::find(kNamed, name, &Named::name);
  return found == kNamed.end() ? std::string_view() : found->fields;
}

std::chrono::sys_days DayOf(Time time) {
  return std::chrono::floor<std::chrono::days>(
      std::chrono::sys_time<std::chrono::nanoseconds>(std::chrono::nanoseconds(time.nanos)));
}

// The first second after `begin` and up to `end` from which on clocks are no longer as far ahead as at `begin`.
std::optional<Time> FirstClockChange(std::string_view zone, Time begin, Time end) {
  const Duration ahead = ClocksAhead(zone, begin);
  for (Time same{begin.nanos / kSecond * kSecond}; !zone.empty() && same < end;) {
    Time other = std::min(same + kClocksStay, end);
    if (ClocksAhead(zone, other) == ahead) {
      same = other;
      continue;
    }
    while (other - same > Seconds(1)) {
      const Time middle = same + Seconds((other - same).nanos / kSecond / 2);
      (ClocksAhead(zone, middle) == ahead ? same : other) = middle;
    }
    return other;
  }
  return std::nullopt;
}

}  // namespace

Result<CronSchedule> CronSchedule::Parse(std::string_view schedule) {
  if (schedule.starts_with("TZ=") || schedule.starts_with("CRON_TZ=")) {
    const size_t end = schedule.find(' ');
    schedule.remove_prefix(end == schedule.npos ? schedule.size() : end);
    while (schedule.starts_with(' ')) schedule.remove_prefix(1);
  }
  CronSchedule parsed;
  if (schedule.starts_with(kEvery)) {
    // What is no duration passes, and never comes.
    parsed.every_ = ParseDuration(schedule.substr(kEvery.size())).value_or(Duration{});
    return parsed;
  }
  if (schedule.starts_with('@')) {
    const std::string_view fields = FieldsOf(schedule);
    if (fields.empty()) return Invalid(fmt::format("unrecognized descriptor: {}", schedule));
    schedule = fields;
  }
  const std::vector<std::string_view> fields = SplitNonEmpty(schedule, " \t\n\v\f\r");
  if (fields.size() != kFieldBounds.size()) {
    return Invalid(fmt::format("expected exactly 5 fields, found {}: [{}]", fields.size(), fmt::join(fields, " ")));
  }
  for (size_t i = 0; i < fields.size(); ++i) {
    for (const std::string_view range : SplitNonEmpty(fields[i], ",")) {
      parsed.allowed_[i] |= BERTH_TRY(ParseRange(range, kFieldBounds[i]));
    }
  }
  parsed.is_any_day_ = IsAny(fields[kDay]);
  parsed.is_any_weekday_ = IsAny(fields[kWeekday]);
  return parsed;
}

bool CronSchedule::IsDay(unsigned day, unsigned weekday) const {
  const bool by_day = Has(kDay, day);
  const bool by_weekday = Has(kWeekday, weekday);
  return is_any_day_ || is_any_weekday_ ? by_day && by_weekday : by_day || by_weekday;
}

std::optional<Time> CronSchedule::Next(Time time, std::string_view zone) const {
  if (every_ > Duration{}) {
    const Duration period = std::max(every_, Seconds(1));
    return Time{(time.nanos / kSecond) * kSecond} + period;
  }
  Time since = time;  // That clocks are so far ahead.
  Duration ahead = ClocksAhead(zone, since);
  for (int changes = 0; changes < kChangesAhead; ++changes) {
    const std::optional<Time> next = NextByClock(time + ahead);
    if (!next) return std::nullopt;
    const std::optional<Time> change = FirstClockChange(zone, since, *next - ahead);
    if (!change) return *next - ahead;
    since = *change;
    time = since - Duration{1};
    ahead = ClocksAhead(zone, since);
  }
  return std::nullopt;
}

std::optional<Time> CronSchedule::NextByClock(Time time) const {
  if (time < kFirst || time > kLast) return std::nullopt;
  const std::chrono::sys_days today = DayOf(time);
  for (std::chrono::days ahead{0}; ahead < kYearsAhead; ++ahead) {
    const std::chrono::sys_days day = today + ahead;
    const std::chrono::year_month_day date(day);
    if (!Has(kMonth, static_cast<unsigned>(date.month()))) continue;
    if (!IsDay(static_cast<unsigned>(date.day()), std::chrono::weekday(day).c_encoding())) continue;
    const auto passed = std::chrono::nanoseconds(time.nanos) - std::chrono::nanoseconds(today.time_since_epoch());
    const auto first = ahead.count() > 0 ? 0U : static_cast<unsigned>(passed / std::chrono::minutes(1));
    for (unsigned minute = first; minute < kMinutesPerDay; ++minute) {
      if (!Has(kHour, minute / 60) || !Has(kMinute, minute % 60)) continue;
      const std::chrono::sys_time<std::chrono::nanoseconds> at = day + std::chrono::minutes(minute);
      if (at.time_since_epoch().count() > time.nanos) return Time{at.time_since_epoch().count()};
    }
  }
  return std::nullopt;
}

Duration ClocksAhead(std::string_view zone, Time time) {
  return Seconds(cel::ZoneOffset(zone, time.nanos / kSecond).value_or(0));
}

Result<void> CheckCronSchedule(std::string_view schedule) {
  BERTH_CHECK_OK(CronSchedule::Parse(schedule));
  return {};
}

}  // namespace berth::server
