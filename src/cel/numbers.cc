// SPDX-License-Identifier: Apache-2.0
#include "cel/numbers.h"

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <limits>

#include "base/ascii.h"

namespace berth::cel {
namespace {

constexpr double kTwoTo63 = 9223372036854775808.0;
constexpr double kTwoTo64 = 18446744073709551616.0;

std::string SpecialNumber(double number) { return std::isnan(number) ? "NaN" : number > 0 ? "+Inf" : "-Inf"; }

// The number without its underscores; nothing if one is not between digits. The 0x of a hexadecimal number counts as
// one.
std::optional<std::string> WithoutUnderscores(std::string_view text) {
  const bool is_hex = text.find_first_of("xX") != text.npos;
  const auto is_digit = [is_hex](char c) {
    return IsDigit(c) || (is_hex && (Lower(c) == 'x' || (Lower(c) >= 'a' && Lower(c) <= 'f')));
  };
  std::string out;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '_') {
      out += text[i];
    } else if (i == 0 || i + 1 == text.size() || !is_digit(text[i - 1]) || !is_digit(text[i + 1])) {
      return std::nullopt;
    }
  }
  return out;
}

bool IsGoFloat(std::string_view text) {
  if (!text.empty() && (text[0] == '+' || text[0] == '-')) text.remove_prefix(1);
  if (EqualsIgnoringCase(text, "inf") || EqualsIgnoringCase(text, "infinity") || EqualsIgnoringCase(text, "nan"))
    return true;
  const bool is_hex = text.size() > 2 && text[0] == '0' && Lower(text[1]) == 'x';
  if (is_hex) text.remove_prefix(2);
  const auto is_digit = [is_hex](char c) { return IsDigit(c) || (is_hex && Lower(c) >= 'a' && Lower(c) <= 'f'); };
  size_t i = 0;
  size_t digits = 0;
  for (bool seen_point = false; i < text.size(); ++i) {
    if (text[i] == '.' && !seen_point) {
      seen_point = true;
    } else if (is_digit(text[i])) {
      ++digits;
    } else {
      break;
    }
  }
  if (digits == 0) return false;
  if (i == text.size()) return !is_hex;  // A hexadecimal mantissa needs an exponent.
  if (Lower(text[i]) != (is_hex ? 'p' : 'e')) return false;
  if (++i < text.size() && (text[i] == '+' || text[i] == '-')) ++i;
  return i < text.size() && SkipDigits(text, i) == text.size();
}

}  // namespace

std::optional<int64_t> TruncatedInt(double number) {
  if (std::isnan(number) || number <= -kTwoTo63 || number >= kTwoTo63) return std::nullopt;
  return static_cast<int64_t>(number);
}

std::optional<uint64_t> TruncatedUint(double number) {
  if (std::isnan(number) || number < 0 || number >= kTwoTo64) return std::nullopt;
  return static_cast<uint64_t>(number);
}

std::optional<int64_t> ExactInt(double number) {
  const std::optional<int64_t> truncated = TruncatedInt(number);
  return truncated && static_cast<double>(*truncated) == number ? truncated : std::nullopt;
}

std::optional<uint64_t> ExactUint(double number) {
  const std::optional<uint64_t> truncated = TruncatedUint(number);
  return truncated && static_cast<double>(*truncated) == number ? truncated : std::nullopt;
}

int Compare(double left, double right) { return left < right ? -1 : left > right ? 1 : 0; }

int Compare(double left, int64_t right) {
  if (left < -kTwoTo63) return -1;
  if (left > kTwoTo63) return 1;
  return Compare(left, static_cast<double>(right));
}

int Compare(double left, uint64_t right) {
  if (left < 0) return -1;
  if (left > kTwoTo64) return 1;
  return Compare(left, static_cast<double>(right));
}

int Compare(int64_t left, uint64_t right) {
  if (left < 0) return -1;
  const auto positive = static_cast<uint64_t>(left);
  return positive < right ? -1 : positive > right ? 1 : 0;
}

std::optional<uint64_t> ParseGoUint(std::string_view text, int base) {
  uint64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number, base);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

std::optional<int64_t> ParseGoInt(std::string_view text, int base) {
  const bool is_negative = text.starts_with('-');
  if (is_negative || text.starts_with('+')) text.remove_prefix(1);
  const std::optional<uint64_t> magnitude = ParseGoUint(text, base);
  if (!magnitude || *magnitude > uint64_t{INT64_MAX} + (is_negative ? 1 : 0)) return std::nullopt;
  return is_negative ? static_cast<int64_t>(~*magnitude + 1) : static_cast<int64_t>(*magnitude);
}

std::optional<double> ParseGoFloat(std::string_view written) {
  const std::optional<std::string> plain = WithoutUnderscores(written);
  if (!plain || !IsGoFloat(*plain)) return std::nullopt;
  std::string_view text = *plain;
  const bool is_negative = text.starts_with('-');
  if (is_negative || text.starts_with('+')) text.remove_prefix(1);
  auto format = std::chars_format::general;
  if (text.size() > 2 && Lower(text[1]) == 'x') {
    text.remove_prefix(2);
    format = std::chars_format::hex;
  }
  double number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number, format);
  if (error == std::errc::result_out_of_range) {
    // Too small is zero, too large an error; the digits tell which.
    const size_t exponent = text.find_first_of(format == std::chars_format::hex ? "pP" : "eE");
    const bool is_small = exponent != text.npos && exponent + 1 < text.size() && text[exponent + 1] == '-';
    if (!is_small) return std::nullopt;
    number = 0;
  } else if (error != std::errc() || end != text.data() + text.size()) {
    return std::nullopt;
  }
  return is_negative ? -number : number;
}

std::string FormatG(double number) {
  if (!std::isfinite(number)) return SpecialNumber(number);
  if (number == 0) return std::signbit(number) ? "-0" : "0";
  char buffer[32];
  const auto end = std::to_chars(buffer, buffer + sizeof(buffer), number, std::chars_format::scientific);
  const std::string text(buffer, end.ptr);
  const int exponent = std::stoi(text.substr(text.find('e') + 1));
  return exponent < -4 || exponent >= 6 ? text : FormatShortest(number);
}

std::string FormatShortest(double number) {
  if (!std::isfinite(number)) return SpecialNumber(number);
  char buffer[400];
  const auto end = std::to_chars(buffer, buffer + sizeof(buffer), number, std::chars_format::fixed);
  return {buffer, end.ptr};
}

std::string FormatFixed(double number, int precision) {
  if (!std::isfinite(number)) return SpecialNumber(number);
  return fmt::format("{:.{}f}", number, precision);
}

}  // namespace berth::cel
