// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <optional>
#include <utility>

#include "base/time.h"
#include "base/time_quote.h"

namespace berth {
namespace {

// Durations are read as magnitudes up to 2^63, the magnitude of the lowest one.
constexpr uint64_t kMagnitudeMax = uint64_t{1} << 63;

bool StartsWithDigit(std::string_view text) { return !text.empty() && text[0] >= '0' && text[0] <= '9'; }

uint64_t TakeDigit(std::string_view& rest) {
  const uint64_t digit = static_cast<uint64_t>(rest[0] - '0');
  rest.remove_prefix(1);
  return digit;
}

std::optional<uint64_t> TakeWhole(std::string_view& rest) {
  uint64_t whole = 0;
  while (StartsWithDigit(rest)) {
    if (whole > kMagnitudeMax / 10) return std::nullopt;
    whole = whole * 10 + TakeDigit(rest);
    if (whole > kMagnitudeMax) return std::nullopt;
  }
  return whole;
}

struct Fraction {
  uint64_t digits = 0;
  double scale = 1;
};

// Digits that no longer fit are read and dropped.
Fraction TakeFraction(std::string_view& rest) {
  Fraction fraction;
  bool full = false;
  while (StartsWithDigit(rest)) {
    const uint64_t digit = TakeDigit(rest);
    full = full || fraction.digits > (kMagnitudeMax - 1) / 10 || fraction.digits * 10 + digit > kMagnitudeMax;
    if (full) continue;
    fraction.digits = fraction.digits * 10 + digit;
    fraction.scale *= 10;
  }
  return fraction;
}

std::optional<uint64_t> UnitNanos(std::string_view name) {
  constexpr std::pair<std::string_view, uint64_t> kUnits[] = {
      {"ns", 1},         {"us", 1'000},        {"\u00B5s", 1'000},    {"\u03BCs", 1'000},
      {"ms", 1'000'000}, {"s", 1'000'000'000}, {"m", 60'000'000'000}, {"h", 3'600'000'000'000},
  };
  for (const auto& [unit, nanos] : kUnits) {
    if (unit == name) return nanos;
  }
  return std::nullopt;
}

// Reads one number with its unit, such as 1.5h. An error is only the first half of its message.
Result<uint64_t> TakeTerm(std::string_view& rest) {
  const bool has_whole = StartsWithDigit(rest);
  const std::optional<uint64_t> whole = TakeWhole(rest);
  if (!whole) return Invalid("invalid duration");
  Fraction fraction;
  bool has_fraction = false;
  if (rest.starts_with('.')) {
    rest.remove_prefix(1);
    has_fraction = StartsWithDigit(rest);
    fraction = TakeFraction(rest);
  }
  if (!has_whole && !has_fraction) return Invalid("invalid duration");

  const std::string_view unit = rest.substr(0, rest.find_first_of(".0123456789"));
  rest.remove_prefix(unit.size());
  if (unit.empty()) return Invalid("missing unit in duration");
  const std::optional<uint64_t> nanos = UnitNanos(unit);
  if (!nanos) return Invalid(fmt::format("unknown unit {} in duration", QuoteForTime(unit)));

  if (*whole > kMagnitudeMax / *nanos) return Invalid("invalid duration");
  // In double, as Go does: the last nanosecond depends on it.
  const double part = static_cast<double>(fraction.digits) * (static_cast<double>(*nanos) / fraction.scale);
  const uint64_t total = *whole * *nanos + static_cast<uint64_t>(part);
  if (total > kMagnitudeMax) return Invalid("invalid duration");
  return total;
}

Result<Duration> ParseTerms(std::string_view rest) {
  const bool negative = rest.starts_with('-');
  if (negative || rest.starts_with('+')) rest.remove_prefix(1);
  if (rest == "0") return Duration{};
  if (rest.empty()) return Invalid("invalid duration");
  uint64_t magnitude = 0;
  while (!rest.empty()) {
    magnitude += BERTH_TRY(TakeTerm(rest));
    if (magnitude > kMagnitudeMax) return Invalid("invalid duration");
  }
  if (!negative && magnitude == kMagnitudeMax) return Invalid("invalid duration");
  return Duration{static_cast<int64_t>(negative ? 0 - magnitude : magnitude)};
}

// value / 10^places, without trailing zeros.
std::string WithFraction(uint64_t value, int places) {
  uint64_t divisor = 1;
  for (int i = 0; i < places; ++i) divisor *= 10;
  std::string text = fmt::format("{}", value / divisor);
  if (value % divisor == 0) return text;
  text += fmt::format(".{:0{}}", value % divisor, places);
  text.resize(text.find_last_not_of('0') + 1);
  return text;
}

std::string FormatMagnitude(uint64_t nanos) {
  constexpr uint64_t kSecond = 1'000'000'000;
  if (nanos == 0) return "0s";
  if (nanos < 1'000) return fmt::format("{}ns", nanos);
  if (nanos < 1'000'000) return WithFraction(nanos, 3) + "\u00B5s";
  if (nanos < kSecond) return WithFraction(nanos, 6) + "ms";
  const uint64_t minutes = nanos / kSecond / 60;
  std::string text;
  if (minutes >= 60) text = fmt::format("{}h", minutes / 60);
  if (minutes > 0) text += fmt::format("{}m", minutes % 60);
  return text + WithFraction(nanos - minutes * 60 * kSecond, 9) + "s";
}

}  // namespace

Result<Duration> ParseDuration(std::string_view text) {
  Result<Duration> duration = ParseTerms(text);
  if (!duration) return Invalid(fmt::format("time: {} {}", duration.error().message, QuoteForTime(text)));
  return duration;
}

std::string FormatDuration(Duration duration) {
  const uint64_t bits = static_cast<uint64_t>(duration.nanos);
  return duration.nanos < 0 ? "-" + FormatMagnitude(0 - bits) : FormatMagnitude(bits);
}

}  // namespace berth
