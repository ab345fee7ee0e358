// SPDX-License-Identifier: Apache-2.0
#include "app/scheduler/flags/go_values.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <limits>

#include "api/document/field_error.h"
#include "base/ascii.h"

namespace berth::scheduler_app {
namespace {

std::unexpected<Error> SyntaxError(std::string_view function, std::string_view text) {
  return Invalid(fmt::format("strconv.{}: parsing {}: invalid syntax", function, api::GoQuote(text)));
}

std::unexpected<Error> RangeError(std::string_view function, std::string_view text) {
  return Invalid(fmt::format("strconv.{}: parsing {}: value out of range", function, api::GoQuote(text)));
}

char Lower(char c) { return static_cast<char>(std::tolower(static_cast<unsigned char>(c))); }

std::string Lowered(std::string_view text) {
  std::string lowered(text);
  std::ranges::transform(lowered, lowered.begin(), Lower);
  return lowered;
}

// Takes the prefix that names the base of a number, and answers the base.
int TakeBase(std::string_view& digits) {
  if (digits.size() < 2 || digits[0] != '0') return 10;
  const char letter = Lower(digits[1]);
  const int base = letter == 'x' ? 16 : letter == 'o' ? 8 : letter == 'b' ? 2 : 0;
  digits.remove_prefix(base == 0 ? 1 : 2);
  return base == 0 ? 8 : base;
}

// An underscore must stand between digits; the base prefix counts as one.
bool UnderscoresAreFine(std::string_view digits, bool has_prefix) {
  for (size_t i = 0; i < digits.size(); ++i) {
    if (digits[i] != '_') continue;
    const bool after_digit = i == 0 ? has_prefix : IsHexDigit(digits[i - 1]);
    const bool before_digit = i + 1 < digits.size() && IsHexDigit(digits[i + 1]);
    if (!after_digit || !before_digit) return false;
  }
  return true;
}

}  // namespace

Result<bool> ParseGoBool(std::string_view text) {
  for (const std::string_view word : {"1", "t", "T", "true", "TRUE", "True"}) {
    if (text == word) return true;
  }
  for (const std::string_view word : {"0", "f", "F", "false", "FALSE", "False"}) {
    if (text == word) return false;
  }
  return SyntaxError("ParseBool", text);
}

Result<int64_t> ParseGoInt(std::string_view text, int bits) {
  std::string_view digits = text;
  const bool negative = digits.starts_with('-');
  if (negative || digits.starts_with('+')) digits.remove_prefix(1);
  const size_t unprefixed = digits.size();
  const int base = TakeBase(digits);
  if (digits.contains('_') && !UnderscoresAreFine(digits, digits.size() < unprefixed)) {
    return SyntaxError("ParseInt", text);
  }
  std::string plain(digits);
  std::erase(plain, '_');
  uint64_t magnitude = 0;
  const auto [end, error] = std::from_chars(plain.data(), plain.data() + plain.size(), magnitude, base);
  if (end != plain.data() + plain.size() || error == std::errc::invalid_argument) return SyntaxError("ParseInt", text);
  const uint64_t limit = (uint64_t{1} << (bits - 1)) - (negative ? 0 : 1);
  if (error == std::errc::result_out_of_range || magnitude > limit) return RangeError("ParseInt", text);
  return static_cast<int64_t>(negative ? 0 - magnitude : magnitude);
}

Result<uint64_t> ParseGoUint(std::string_view text, uint64_t max) {
  uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (end != text.data() + text.size() || error == std::errc::invalid_argument) return SyntaxError("ParseUint", text);
  if (error == std::errc::result_out_of_range || value > max) return RangeError("ParseUint", text);
  return value;
}

Result<float> ParseGoFloat(std::string_view text) {
  std::string_view rest = text;
  const bool negative = rest.starts_with('-');
  if (negative || rest.starts_with('+')) rest.remove_prefix(1);
  std::string lowered = Lowered(rest);
  if (lowered == "inf" || lowered == "infinity") {
    return negative ? -std::numeric_limits<float>::infinity() : std::numeric_limits<float>::infinity();
  }
  if (lowered == "nan" && rest.size() == text.size()) return std::numeric_limits<float>::quiet_NaN();
  const bool hex = lowered.starts_with("0x");
  if (lowered.contains('_') && !UnderscoresAreFine(std::string_view(lowered).substr(hex ? 2 : 0), hex)) {
    return SyntaxError("ParseFloat", text);
  }
  std::erase(lowered, '_');
  const std::string_view digits = std::string_view(lowered).substr(hex ? 2 : 0);
  // Words such as "nan(1)", and hexadecimal numbers without exponent, are not numbers in Go.
  const bool starts_well = !digits.empty() && (digits[0] == '.' || IsHexDigit(digits[0]));
  if (!starts_well || digits.starts_with("nan") || (hex && !digits.contains('p'))) {
    return SyntaxError("ParseFloat", text);
  }
  float value = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value,
                                            hex ? std::chars_format::hex : std::chars_format::general);
  if (end != digits.data() + digits.size() || error == std::errc::invalid_argument) {
    return SyntaxError("ParseFloat", text);
  }
  // What is too small to be told from zero is zero.
  const bool tiny =
      digits.contains("e-") || digits.contains("p-") || digits.starts_with('.') || digits.starts_with("0");
  if (error == std::errc::result_out_of_range && !tiny) return RangeError("ParseFloat", text);
  return negative ? -value : value;
}

std::string FormatGoFloat(float value) {
  std::array<char, 64> buffer;
  const auto to_text = [&](std::chars_format format) {
    const auto [end, error] = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value, format);
    return std::string(buffer.data(), error == std::errc{} ? end : buffer.data());
  };
  if (value == std::numeric_limits<float>::infinity()) return "+Inf";
  if (value == -std::numeric_limits<float>::infinity()) return "-Inf";
  if (value != value) return "NaN";
  const std::string scientific = to_text(std::chars_format::scientific);
  int exponent = 0;
  const size_t at = scientific.find('e');
  const char* digits = scientific.data() + at + (scientific[at + 1] == '+' ? 2 : 1);
  std::from_chars(digits, scientific.data() + scientific.size(), exponent);
  constexpr int kShortestPrecision = 6;
  return exponent < -4 || exponent >= kShortestPrecision ? scientific : to_text(std::chars_format::fixed);
}

std::string GoQuoteByte(char byte) {
  const auto code = static_cast<unsigned char>(byte);
  if (byte == '\'') return "'\\''";
  if (byte == '"') return "'\"'";
  if (code < 0x80) {
    const std::string quoted = api::GoQuote({&byte, 1});
    return "'" + quoted.substr(1, quoted.size() - 2) + "'";
  }
  if (code <= 0xA0 || code == 0xAD) return fmt::format("'\\u{:04x}'", code);
  return {'\'', static_cast<char>(0xC0 | (code >> 6)), static_cast<char>(0x80 | (code & 0x3F)), '\''};
}

}  // namespace berth::scheduler_app
