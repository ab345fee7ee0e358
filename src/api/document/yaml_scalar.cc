// SPDX-License-Identifier: Apache-2.0
#include "api/document/yaml_scalar.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <optional>

#include "api/document/json_writer.h"
#include "base/ascii.h"

namespace berth::api {
namespace {

using Kind = Value::Kind;

constexpr std::string_view kTrue[] = {"y", "Y", "yes", "Yes", "YES", "true", "True", "TRUE", "on", "On", "ON"};
constexpr std::string_view kFalse[] = {"n", "N", "no", "No", "NO", "false", "False", "FALSE", "off", "Off", "OFF"};
constexpr std::string_view kNull[] = {"", "~", "null", "Null", "NULL"};
constexpr std::string_view kNotFinite[] = {".nan",  ".NaN",  ".NAN",  ".inf",  ".Inf",  ".INF",
                                           "+.inf", "+.Inf", "+.INF", "-.inf", "-.Inf", "-.INF"};

template <size_t N>
bool IsOneOf(std::string_view text, const std::string_view (&words)[N]) {
  return std::ranges::find(words, text) != std::end(words);
}

int TakeBase(std::string_view& digits) {
  if (digits.size() < 2 || digits[0] != '0') return 10;
  const char letter = static_cast<char>(digits[1] | 0x20);
  const int base = letter == 'x' ? 16 : letter == 'b' ? 2 : letter == 'o' ? 8 : 0;
  digits.remove_prefix(base == 0 ? 1 : 2);
  return base == 0 ? 8 : base;
}

// The decimal form of an integer that fits int64 or uint64. An unsigned one must not have a sign.
std::optional<std::string> ParseInteger(std::string_view text) {
  const bool has_sign = text.starts_with('-') || text.starts_with('+');
  const bool negative = text.starts_with('-');
  if (has_sign) text.remove_prefix(1);
  const int base = TakeBase(text);
  uint64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number, base);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  constexpr uint64_t kIntMax = std::numeric_limits<int64_t>::max();
  if (has_sign && number > kIntMax + (negative ? 1 : 0)) return std::nullopt;
  return fmt::format("{}{}", negative && number != 0 ? "-" : "", number);
}

// [sign] digits [. digits] [e [sign] digits], with a digit before or after the point.
bool LooksLikeFloat(std::string_view text) {
  const size_t whole = text.starts_with('-') || text.starts_with('+') ? 1 : 0;
  size_t at = SkipDigits(text, whole);
  size_t digits = at - whole;
  if (at < text.size() && text[at] == '.') {
    const size_t fraction = at + 1;
    at = SkipDigits(text, fraction);
    digits += at - fraction;
  }
  if (digits == 0) return false;
  if (at < text.size() && (text[at] == 'e' || text[at] == 'E')) {
    ++at;
    if (at < text.size() && (text[at] == '+' || text[at] == '-')) ++at;
    const size_t exponent = at;
    at = SkipDigits(text, exponent);
    if (at == exponent) return false;
  }
  return at == text.size();
}

// A double in the form of JSON, or nothing if it is out of range.
std::optional<std::string> FormatDouble(const std::string& text) {
  const double number = std::strtod(text.c_str(), nullptr);
  if (!std::isfinite(number)) return std::nullopt;
  std::string decimal;
  AppendDouble(decimal, number);
  return decimal;
}

std::optional<YamlScalar> ParseNumber(std::string_view text) {
  if (!IsDigit(text[0]) && text[0] != '.' && text[0] != '+' && text[0] != '-') return std::nullopt;
  std::string digits(text);
  if (text[0] != '.') {
    std::erase(digits, '_');
    if (auto number = ParseInteger(digits)) return YamlScalar{Kind::kNumber, *std::move(number)};
  }
  if (!LooksLikeFloat(digits)) return std::nullopt;
  auto number = FormatDouble(digits);
  if (!number) return std::nullopt;
  return YamlScalar{Kind::kNumber, *std::move(number), true};
}

Result<YamlScalar> ResolvePlain(std::string text) {
  if (IsOneOf(text, kNull)) return YamlScalar{};
  if (IsOneOf(text, kTrue)) return YamlScalar{Kind::kBool, "true"};
  if (IsOneOf(text, kFalse)) return YamlScalar{Kind::kBool, "false"};
  if (IsOneOf(text, kNotFinite)) return Invalid(fmt::format("{} has no form in JSON; quote it if it is text", text));
  if (auto number = ParseNumber(text)) return *std::move(number);
  return YamlScalar{Kind::kString, std::move(text)};
}

}  // namespace

Result<YamlScalar> ResolveYamlScalar(std::string_view tag, bool plain, std::string text) {
  if (plain) return ResolvePlain(std::move(text));
  constexpr std::string_view kPrefix = "tag:yaml.org,2002:";
  const std::string_view type = tag.starts_with(kPrefix) ? tag.substr(kPrefix.size()) : std::string_view();
  if (type == "binary") return Invalid("!!binary is not supported; write base64 text as a plain string");
  if (type != "int" && type != "float" && type != "bool" && type != "null") {
    return YamlScalar{Kind::kString, std::move(text)};
  }
  const YamlScalar scalar = BERTH_TRY(ResolvePlain(text));
  const bool fits = (type == "int" && scalar.kind == Kind::kNumber && !scalar.is_float) ||
                    (type == "float" && scalar.kind == Kind::kNumber) ||
                    (type == "bool" && scalar.kind == Kind::kBool) || (type == "null" && scalar.kind == Kind::kNull);
  if (!fits) return Invalid(fmt::format("'{}' is not a valid !!{}", text, type));
  if (type != "float") return scalar;
  return YamlScalar{Kind::kNumber, FormatDouble(scalar.text).value_or(scalar.text), true};
}

bool IsYamlBase60(std::string_view text) {
  constexpr std::string_view kDigits = "0123456789_";
  if (text.starts_with('-') || text.starts_with('+')) text.remove_prefix(1);
  if (text.empty() || !IsDigit(text[0])) return false;
  const size_t colon = text.find_first_not_of(kDigits);
  if (colon == text.npos || text[colon] != ':') return false;
  text.remove_prefix(colon);
  while (text.starts_with(':')) {
    text.remove_prefix(1);
    const size_t digits = SkipDigits(text, 0);
    if (digits == 0 || digits > 2 || (digits == 2 && text[0] > '5')) return false;
    text.remove_prefix(digits);
  }
  if (text.starts_with('.')) text.remove_prefix(std::min(text.find_first_not_of(kDigits, 1), text.size()));
  return text.empty();
}

bool IsYamlTimestamp(std::string_view text) {
  // Takes a number of so many digits at most; -1 if there is none.
  const auto take = [&text](size_t max) {
    const size_t size = std::min(SkipDigits(text, 0), max);
    int number = -1;
    std::from_chars(text.data(), text.data() + size, number);
    text.remove_prefix(size);
    return number;
  };
  const auto skip = [&text](std::string_view any_of) {
    if (text.empty() || any_of.find(text[0]) == any_of.npos) return false;
    text.remove_prefix(1);
    return true;
  };
  if (SkipDigits(text, 0) != 4) return false;
  const std::chrono::year year(take(4));
  if (!skip("-")) return false;
  const int month = take(2);
  if (month < 1 || !skip("-")) return false;
  const int day = take(2);
  const std::chrono::year_month_day date(year, std::chrono::month(static_cast<unsigned>(month)),
                                         std::chrono::day(static_cast<unsigned>(std::max(day, 0))));
  if (!date.ok()) return false;
  if (text.empty()) return true;
  const bool has_zone = text[0] != ' ';
  if (!skip("Tt ")) return false;
  for (const int max : {23, 59, 59}) {
    if (max == 59 && !skip(":")) return false;
    const int number = take(2);
    if (number < 0 || number > max) return false;
  }
  if (skip(".,")) {
    const size_t digits = SkipDigits(text, 0);
    if (digits == 0) return false;
    text.remove_prefix(digits);
  }
  if (!has_zone || skip("Z")) return text.empty();
  return text.size() == 6 && skip("+-") && take(2) <= 24 && skip(":") && take(2) < 60 && text.empty();
}

Result<std::string> YamlKey(const YamlScalar& scalar) {
  if (scalar.kind == Kind::kNull) return Invalid("a map key is null; quote it if it is text");
  if (!scalar.is_float) return scalar.text;
  // kubectl names a member after the float of single precision.
  const float number = std::strtof(scalar.text.c_str(), nullptr);
  char buffer[32];
  const auto result = std::to_chars(std::begin(buffer), std::end(buffer), number, std::chars_format::general);
  return std::string(buffer, result.ptr);
}

}  // namespace berth::api
