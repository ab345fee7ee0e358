// SPDX-License-Identifier: Apache-2.0
#include "api/typed/go_time.h"

#include <fmt/format.h>

#include <chrono>
#include <string>

#include "base/ascii.h"
#include "base/time_quote.h"

namespace berth::api {
namespace {

using wire::Timestamp;

// Takes a time apart element by element, until one does not fit.
class Scanner {
 public:
  Scanner(std::string_view text, bool micros) : text_(text), rest_(text), micros_(micros) {}

  Result<Timestamp> Scan() {
    const bool ok = Number("2006", 4, year_, 0, 9999, "year") && Char("-") && Number("01", 2, month_, 1, 12, "month") &&
                    Char("-") && Number("02", 2, day_, 0, 99, "day") && Char("T") && Hour() && Char(":") &&
                    Number("04", 2, minute_, 0, 59, "minute") && Char(":") &&
                    Number("05", 2, second_, 0, 59, "second") && Fraction() && Zone() && End();
    if (!ok) return Invalid(std::move(error_));
    const std::chrono::year_month_day date{std::chrono::year{year_}, std::chrono::month{static_cast<unsigned>(month_)},
                                           std::chrono::day{static_cast<unsigned>(day_)}};
    if (!date.ok()) {
      OutOfRange("day");
      return Invalid(std::move(error_));
    }
    const int64_t days = std::chrono::sys_days(date).time_since_epoch().count();
    return Timestamp{((days * 24 + hour_) * 60 + minute_) * 60 + second_ - offset_seconds_, nanos_};
  }

 private:
  bool Mismatch(std::string_view element) {
    error_ = fmt::format("parsing time {} as \"2006-01-02T15:04:05{}Z07:00\": cannot parse {} as {}",
                         QuoteForTime(text_), micros_ ? ".000000" : "", QuoteForTime(rest_), QuoteForTime(element));
    return false;
  }

  bool OutOfRange(std::string_view part) {
    error_ = fmt::format("parsing time {}: {} out of range", QuoteForTime(text_), part);
    return false;
  }

  // The value of `width` digits at `at`, or -1.
  int Digits(size_t at, size_t width) const {
    if (rest_.size() < at + width) return -1;
    int number = 0;
    for (const char c : rest_.substr(at, width)) {
      if (!IsDigit(c)) return -1;
      number = number * 10 + (c - '0');
    }
    return number;
  }

  bool Number(std::string_view element, size_t width, int& value, int min, int max, std::string_view part) {
    value = Digits(0, width);
    if (value < 0) return Mismatch(element);
    rest_.remove_prefix(width);
    return (value >= min && value <= max) || OutOfRange(part);
  }

  bool Char(std::string_view c) {
    if (!rest_.starts_with(c)) return Mismatch(c);
    rest_.remove_prefix(1);
    return true;
  }

  // Go takes one digit here as well.
  bool Hour() { return Number("15", Digits(0, 2) < 0 ? 1 : 2, hour_, 0, 23, "hour"); }

  bool Fraction() {
    const bool has_point = rest_.starts_with('.') || rest_.starts_with(',');
    if (micros_) {
      const int micros = has_point ? Digits(1, 6) : -1;
      if (micros < 0) return Mismatch(".000000");
      nanos_ = micros * 1000;
      rest_.remove_prefix(7);
      return true;
    }
    if (!has_point || rest_.size() < 2 || !IsDigit(rest_[1])) return true;
    rest_.remove_prefix(1);
    for (int unit = 100'000'000; !rest_.empty() && IsDigit(rest_[0]); rest_.remove_prefix(1), unit /= 10) {
      nanos_ += (rest_[0] - '0') * unit;
    }
    return true;
  }

  bool Zone() {
    if (rest_.starts_with('Z')) return Char("Z");
    const int hours = Digits(1, 2);
    const int minutes = Digits(4, 2);
    if (rest_.size() < 6 || rest_[3] != ':') return Mismatch("Z07:00");
    if (hours > 24) return OutOfRange("time zone offset hour");
    if (minutes > 60) return OutOfRange("time zone offset minute");
    if (hours < 0 || minutes < 0 || (rest_[0] != '+' && rest_[0] != '-')) return Mismatch("Z07:00");
    offset_seconds_ = (rest_[0] == '-' ? -1 : 1) * (hours * 60 + minutes) * 60;
    rest_.remove_prefix(6);
    return true;
  }

  bool End() {
    if (rest_.empty()) return true;
    error_ = fmt::format("parsing time {}: extra text: {}", QuoteForTime(text_), QuoteForTime(rest_));
    return false;
  }

  std::string_view text_;
  std::string_view rest_;
  bool micros_;
  int year_ = 0, month_ = 0, day_ = 0, hour_ = 0, minute_ = 0, second_ = 0;
  int32_t nanos_ = 0;
  int64_t offset_seconds_ = 0;
  std::string error_;
};

}  // namespace

Result<Timestamp> ParseGoTime(std::string_view text, bool micros) { return Scanner(text, micros).Scan(); }

}  // namespace berth::api
