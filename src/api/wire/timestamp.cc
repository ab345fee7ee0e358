// SPDX-License-Identifier: Apache-2.0
#include "api/wire/timestamp.h"

#include <array>
#include <chrono>

namespace berth::api::wire {
namespace {

constexpr int64_t kSecondsPerDay = 86'400;
constexpr int64_t kFirst = -62'167'219'200;  // 0000-01-01T00:00:00Z
constexpr int64_t kLast = 253'402'300'799;   // 9999-12-31T23:59:59Z

// Takes `width` digits from the front; -1 if they are not there.
int TakeNumber(std::string_view& text, size_t width) {
  if (text.size() < width) return -1;
  int number = 0;
  for (size_t i = 0; i < width; ++i) {
    if (text[i] < '0' || text[i] > '9') return -1;
    number = number * 10 + (text[i] - '0');
  }
  text.remove_prefix(width);
  return number;
}

bool TakeChar(std::string_view& text, char c) {
  if (!text.starts_with(c)) return false;
  text.remove_prefix(1);
  return true;
}

// A fraction of a second, if there is one; nothing if a point stands without digits.
std::optional<int32_t> TakeNanos(std::string_view& text) {
  if (!TakeChar(text, '.')) return 0;
  if (text.empty() || text[0] < '0' || text[0] > '9') return std::nullopt;
  int32_t nanos = 0;
  for (int32_t unit = 100'000'000; !text.empty() && text[0] >= '0' && text[0] <= '9'; unit /= 10) {
    nanos += (text[0] - '0') * unit;
    text.remove_prefix(1);
  }
  return nanos;
}

// "Z" or an offset such as +01:00, as seconds; it must be all that is left.
std::optional<int64_t> TakeOffset(std::string_view text) {
  if (text == "Z") return 0;
  const bool east = text.starts_with('+');
  if (!east && !text.starts_with('-')) return std::nullopt;
  text.remove_prefix(1);
  const int hours = TakeNumber(text, 2);
  const bool colon = TakeChar(text, ':');
  const int minutes = TakeNumber(text, 2);
  if (hours < 0 || hours > 24 || !colon || minutes < 0 || minutes > 60 || !text.empty()) return std::nullopt;
  return (east ? 1 : -1) * (hours * 3600 + minutes * 60);
}

void PutNumber(std::string& text, int64_t number, size_t width) {
  text.append(width, '0');
  for (size_t at = text.size(); number != 0; number /= 10) text[--at] = static_cast<char>('0' + number % 10);
}

}  // namespace

std::string FormatTimestamp(Timestamp timestamp, bool micros) {
  if (timestamp.seconds < kFirst || timestamp.seconds > kLast) return {};
  int64_t day = timestamp.seconds / kSecondsPerDay;
  int64_t second = timestamp.seconds % kSecondsPerDay;
  if (second < 0) {
    second += kSecondsPerDay;
    --day;
  }
  const std::chrono::year_month_day date{std::chrono::sys_days(std::chrono::days(day))};
  std::string text;
  text.reserve(sizeof("2026-01-01T00:00:00.000000Z"));
  PutNumber(text, static_cast<int>(date.year()), 4);
  PutNumber(text += '-', static_cast<unsigned>(date.month()), 2);
  PutNumber(text += '-', static_cast<unsigned>(date.day()), 2);
  PutNumber(text += 'T', second / 3600, 2);
  PutNumber(text += ':', second / 60 % 60, 2);
  PutNumber(text += ':', second % 60, 2);
  if (micros) PutNumber(text += '.', timestamp.nanos / 1000, 6);
  return text += 'Z';
}

std::optional<Timestamp> ParseTimestamp(std::string_view text) {
  struct Part {
    size_t width;
    int min, max;
    char after;  // '\0': nothing.
  };
  constexpr std::array<Part, 6> kParts = {
      {{4, 0, 9999, '-'}, {2, 1, 12, '-'}, {2, 1, 31, 'T'}, {2, 0, 23, ':'}, {2, 0, 59, ':'}, {2, 0, 59, '\0'}}};
  std::array<int, kParts.size()> parts{};
  for (size_t i = 0; i < kParts.size(); ++i) {
    parts[i] = TakeNumber(text, kParts[i].width);
    if (parts[i] < kParts[i].min || parts[i] > kParts[i].max) return std::nullopt;
    if (kParts[i].after != '\0' && !TakeChar(text, kParts[i].after)) return std::nullopt;
  }
  const auto nanos = TakeNanos(text);
  const auto offset = TakeOffset(text);
  const std::chrono::year_month_day date{std::chrono::year{parts[0]},
                                         std::chrono::month{static_cast<unsigned>(parts[1])},
                                         std::chrono::day{static_cast<unsigned>(parts[2])}};
  if (!nanos || !offset || !date.ok()) return std::nullopt;
  const int64_t day = std::chrono::sys_days(date).time_since_epoch().count();
  return Timestamp{day * kSecondsPerDay + parts[3] * 3600 + parts[4] * 60 + parts[5] - *offset, *nanos};
}

}  // namespace berth::api::wire
