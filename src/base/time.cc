// SPDX-License-Identifier: Apache-2.0
#include "base/time.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <limits>
#include <optional>

#include "base/zoned_time.h"

namespace berth {
namespace {

constexpr int64_t kMax = std::numeric_limits<int64_t>::max();
constexpr int64_t kMin = std::numeric_limits<int64_t>::min();
constexpr int64_t kNanosPerSecond = 1'000'000'000;
constexpr int64_t kSecondsPerDay = 86'400;

int64_t SaturatingAdd(int64_t left, int64_t right) {
  int64_t sum = 0;
  if (__builtin_add_overflow(left, right, &sum)) return right > 0 ? kMax : kMin;
  return sum;
}

int64_t SaturatingSubtract(int64_t left, int64_t right) {
  int64_t difference = 0;
  if (__builtin_sub_overflow(left, right, &difference)) return right < 0 ? kMax : kMin;
  return difference;
}

int64_t NanosOf(int64_t seconds, int64_t nanos) {
  int64_t product = 0;
  if (__builtin_mul_overflow(seconds, kNanosPerSecond, &product)) return seconds > 0 ? kMax : kMin;
  return SaturatingAdd(product, nanos);
}

// Reads fixed parts from the front of a text and remembers whether all of them were there.
class Reader {
 public:
  explicit Reader(std::string_view text) : rest_(text) {}

  bool ok() const { return ok_; }
  bool at_end() const { return rest_.empty(); }

  bool Skip(char expected) {
    if (!rest_.starts_with(expected)) return false;
    rest_.remove_prefix(1);
    return true;
  }

  void Expect(char expected) { ok_ &= Skip(expected); }

  // A number of exactly `width` digits that is at most `max`.
  int Number(size_t width, int max) {
    int number = 0;
    for (size_t i = 0; i < width; ++i) {
      if (!HasDigit()) return ok_ = false, 0;
      number = number * 10 + TakeDigit();
    }
    ok_ &= number <= max;
    return number;
  }

  // Go also takes an hour of one digit.
  int Hour() { return Number(rest_.size() > 1 && rest_[1] == ':' ? 1 : 2, 23); }

  // At least one digit after the point, as nanoseconds.
  int64_t Fraction() {
    ok_ &= HasDigit();
    int64_t nanos = 0;
    for (int64_t unit = kNanosPerSecond / 10; HasDigit(); unit /= 10) nanos += TakeDigit() * unit;
    return nanos;
  }

  // "Z" or an offset such as +01:00, as seconds.
  int OffsetSeconds() {
    if (Skip('Z')) return 0;
    const int sign = Skip('-') ? -1 : 1;
    if (sign > 0) Expect('+');
    const int hours = Number(2, 24);
    Expect(':');
    return sign * (hours * 3600 + Number(2, 60) * 60);
  }

 private:
  bool HasDigit() const { return !rest_.empty() && rest_[0] >= '0' && rest_[0] <= '9'; }
  int TakeDigit() {
    const int digit = rest_[0] - '0';
    rest_.remove_prefix(1);
    return digit;
  }

  std::string_view rest_;
  bool ok_ = true;
};

struct Civil {
  std::string text;  // Without fraction and zone.
  int64_t nanos = 0;
};

Civil CivilOf(Time time) {
  int64_t nanos = time.nanos % kNanosPerSecond;
  if (nanos < 0) nanos += kNanosPerSecond;
  int64_t seconds = time.nanos / kNanosPerSecond - (time.nanos % kNanosPerSecond < 0 ? 1 : 0);
  int64_t days = seconds / kSecondsPerDay - (seconds % kSecondsPerDay < 0 ? 1 : 0);
  seconds -= days * kSecondsPerDay;
  const std::chrono::year_month_day date{std::chrono::sys_days(std::chrono::days(days))};
  std::string text = "0000-00-00T00:00:00";
  const auto put = [&text](size_t end, int64_t number) {
    for (; number > 0; number /= 10) text[--end] = static_cast<char>('0' + number % 10);
  };
  put(4, static_cast<int>(date.year()));
  put(7, static_cast<unsigned>(date.month()));
  put(10, static_cast<unsigned>(date.day()));
  put(13, seconds / 3600);
  put(16, seconds / 60 % 60);
  put(19, seconds % 60);
  return {std::move(text), nanos};
}

}  // namespace

Duration operator+(Duration left, Duration right) { return {SaturatingAdd(left.nanos, right.nanos)}; }
Duration operator-(Duration left, Duration right) { return {SaturatingSubtract(left.nanos, right.nanos)}; }
Time operator+(Time time, Duration duration) { return {SaturatingAdd(time.nanos, duration.nanos)}; }
Time operator-(Time time, Duration duration) { return {SaturatingSubtract(time.nanos, duration.nanos)}; }
Duration operator-(Time left, Time right) { return {SaturatingSubtract(left.nanos, right.nanos)}; }

std::optional<ZonedTime> ParseZonedTime(std::string_view text) {
  Reader reader(text);
  const std::chrono::year year(reader.Number(4, 9999));
  reader.Expect('-');
  const std::chrono::month month(static_cast<unsigned>(reader.Number(2, 12)));
  reader.Expect('-');
  const std::chrono::day day(static_cast<unsigned>(reader.Number(2, 31)));
  reader.Expect('T');
  int64_t seconds = reader.Hour() * 3600;
  reader.Expect(':');
  seconds += reader.Number(2, 59) * 60;
  reader.Expect(':');
  seconds += reader.Number(2, 59);
  const int64_t nanos = reader.Skip('.') || reader.Skip(',') ? reader.Fraction() : 0;
  const int offset = reader.OffsetSeconds();

  const std::chrono::year_month_day date(year, month, day);
  if (!reader.ok() || !reader.at_end() || !date.ok()) return std::nullopt;
  seconds += std::chrono::sys_days(date).time_since_epoch().count() * kSecondsPerDay;
  return ZonedTime{seconds - offset, nanos, offset};
}

Result<Time> ParseTime(std::string_view text) {
  const std::optional<ZonedTime> time = ParseZonedTime(text);
  if (!time) return Invalid(fmt::format("time '{}' is not RFC 3339", text));
  return Time{NanosOf(time->seconds, time->nanos)};
}

std::string FormatTime(Time time) { return CivilOf(time).text + "Z"; }

std::string FormatTimeMicro(Time time) {
  const Civil civil = CivilOf(time);
  return fmt::format("{}.{:06}Z", civil.text, civil.nanos / 1000);
}

}  // namespace berth
