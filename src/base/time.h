// SPDX-License-Identifier: Apache-2.0
// Time and Duration: an instant and a span in nanoseconds, with the text forms of Kubernetes.
//
// A Time counts from the Unix epoch in UTC and reaches from 1677 to 2262. Arithmetic and parsing saturate at these
// ends instead of wrapping, so a far future stays later than now. There is no way to ask for the current time here: it
// comes in with the input.

#pragma once

#include <compare>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"

namespace berth {

struct Duration {
  int64_t nanos = 0;
  auto operator<=>(const Duration&) const = default;
};

struct Time {
  int64_t nanos = 0;
  auto operator<=>(const Time&) const = default;
};

// `count` times as long, saturating.
constexpr Duration operator*(Duration unit, int64_t count) {
  int64_t nanos = 0;
  if (!__builtin_mul_overflow(unit.nanos, count, &nanos)) return {nanos};
  return {(unit.nanos < 0) == (count < 0) ? INT64_MAX : INT64_MIN};
}

constexpr Duration Milliseconds(int64_t count) { return Duration{1'000'000} * count; }
constexpr Duration Seconds(int64_t count) { return Duration{1'000'000'000} * count; }
constexpr Duration Minutes(int64_t count) { return Duration{60'000'000'000} * count; }

Duration operator+(Duration left, Duration right);
Duration operator-(Duration left, Duration right);
Time operator+(Time time, Duration duration);
Time operator-(Time time, Duration duration);
Duration operator-(Time left, Time right);

// Reads RFC 3339 such as 2026-01-01T00:00:37Z or 2026-01-01T01:00:37.5+01:00. Digits beyond nanoseconds are cut off.
Result<Time> ParseTime(std::string_view text);

std::string FormatTime(Time time);       // 2026-01-01T00:00:37Z; a fraction of a second is cut off.
std::string FormatTimeMicro(Time time);  // 2026-01-01T00:00:37.123456Z, always six digits.

// Reads and prints durations as Go does: 1m30s, 10m0s, 1.5s, 100ms, 0s.
Result<Duration> ParseDuration(std::string_view text);
std::string FormatDuration(Duration duration);

}  // namespace berth
