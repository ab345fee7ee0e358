// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <charconv>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "api/parts/quantity.h"

namespace berth::api {
namespace {

constexpr std::string_view kWrongFormat =
    "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'";
constexpr std::string_view kWrongNumber = "unable to parse numeric part of quantity";
constexpr std::string_view kWrongSuffix = "unable to parse quantity's suffix";

constexpr int32_t kNano = -9;

// The amount is written as number * base^exponent.
struct Suffix {
  int32_t base = 10;
  int32_t exponent = 0;
  Quantity::Format format = Quantity::Format::kDecimalSi;
};

// The parts of [sign] digits [. digits] [suffix]; every part may be absent.
struct Parts {
  bool negative = false;
  std::string_view whole;  // Without leading zeros.
  std::string_view fraction;
  std::string_view suffix;
  bool has_digits = false;  // Leading zeros count.
};

// Cuts the longest prefix made of `allowed` bytes off `rest`.
std::string_view TakeAny(std::string_view& rest, std::string_view allowed) {
  const size_t size = std::min(rest.find_first_not_of(allowed), rest.size());
  const std::string_view taken = rest.substr(0, size);
  rest.remove_prefix(size);
  return taken;
}

bool TakeSign(std::string_view& rest) {
  const bool negative = rest.starts_with('-');
  if (negative || rest.starts_with('+')) rest.remove_prefix(1);
  return negative;
}

std::optional<Parts> Split(std::string_view rest) {
  constexpr std::string_view kDigits = "0123456789";
  Parts parts;
  parts.negative = TakeSign(rest);
  const bool has_zeros = !TakeAny(rest, "0").empty();
  parts.whole = TakeAny(rest, kDigits);
  if (rest.starts_with('.')) {
    rest.remove_prefix(1);
    parts.fraction = TakeAny(rest, kDigits);
  }
  parts.has_digits = has_zeros || !parts.whole.empty() || !parts.fraction.empty();
  parts.suffix = rest;
  TakeAny(rest, "eEinumkKMGTP");
  TakeSign(rest);
  TakeAny(rest, kDigits);
  return rest.empty() ? std::optional(parts) : std::nullopt;
}

std::optional<Suffix> ParseExponent(std::string_view text) {
  if (text.starts_with('+')) {
    text.remove_prefix(1);
    if (text.starts_with('-')) return std::nullopt;
  }
  int64_t exponent = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), exponent);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  // Kubernetes keeps the low 32 bits.
  return Suffix{.base = 10, .exponent = static_cast<int32_t>(exponent), .format = Quantity::Format::kDecimalExponent};
}

std::optional<Suffix> ParseSuffix(std::string_view text) {
  using enum Quantity::Format;
  static constexpr std::pair<std::string_view, Suffix> kSuffixes[] = {
      {"", {10, 0, kDecimalSi}},   {"n", {10, -9, kDecimalSi}}, {"u", {10, -6, kDecimalSi}},
      {"m", {10, -3, kDecimalSi}}, {"k", {10, 3, kDecimalSi}},  {"M", {10, 6, kDecimalSi}},
      {"G", {10, 9, kDecimalSi}},  {"T", {10, 12, kDecimalSi}}, {"P", {10, 15, kDecimalSi}},
      {"E", {10, 18, kDecimalSi}}, {"Ki", {2, 10, kBinarySi}},  {"Mi", {2, 20, kBinarySi}},
      {"Gi", {2, 30, kBinarySi}},  {"Ti", {2, 40, kBinarySi}},  {"Pi", {2, 50, kBinarySi}},
      {"Ei", {2, 60, kBinarySi}},
  };
  for (const auto& [name, suffix] : kSuffixes) {
    if (name == text) return suffix;
  }
  if (text.size() > 1 && (text[0] == 'e' || text[0] == 'E')) return ParseExponent(text.substr(1));
  return std::nullopt;
}

struct Small {
  int64_t digits = 0;  // As written, before a binary suffix multiplies them.
  int64_t mantissa = 0;
  int32_t exponent = 0;
};

// Most quantities fit an int64 mantissa. Which do is visible (in how overflow shows), so the border is Kubernetes':
// 18 digits, of which a binary suffix costs three for each power of 1024 and four at once, and no fraction with it.
std::optional<Small> ParseSmall(const Parts& parts, const Suffix& suffix) {
  if (suffix.base == 2 && !parts.fraction.empty()) return std::nullopt;
  const int64_t fraction_digits = static_cast<int64_t>(parts.fraction.size());
  const int64_t digits = std::max<int64_t>(static_cast<int64_t>(parts.whole.size()), 1) + fraction_digits;
  const int64_t digits_max = suffix.base == 10 ? 18 : 14 - suffix.exponent * 3 / 10;
  const int64_t exponent = (suffix.base == 10 ? suffix.exponent : 0) - fraction_digits;
  if (digits > digits_max || exponent < kNano) return std::nullopt;

  Small small{.digits = 0, .mantissa = 0, .exponent = static_cast<int32_t>(exponent)};
  for (const char digit : parts.whole) small.digits = small.digits * 10 + (digit - '0');
  for (const char digit : parts.fraction) small.digits = small.digits * 10 + (digit - '0');
  small.mantissa = suffix.base == 2 ? small.digits << suffix.exponent : small.digits;
  if (parts.negative) small.mantissa = -small.mantissa;
  return small;
}

// Whether Kubernetes takes a spelling for canonical and prints it again unchanged.
bool KeepsSpelling(const Parts& parts, const Suffix& suffix, const Small& small) {
  if (suffix.base == 2) return (small.digits & 7) != 0;
  return small.exponent % 3 == 0 && !parts.whole.empty() && small.digits % 1000 != 0;
}

// Reads a number that ParseSmall refuses: rounds it to nano, away from zero, and caps a binary one at int64.
Decimal ParseBig(const Parts& parts, const Suffix& suffix) {
  Decimal amount{.mantissa = BigInt::FromDigits(std::string(parts.whole) + std::string(parts.fraction)),
                 .exponent = -static_cast<int64_t>(parts.fraction.size())};
  if (suffix.base == 10) {
    amount.exponent += suffix.exponent;
  } else {
    // In two steps, each of which fits 32 bits.
    amount.mantissa.MultiplyBy(uint32_t{1} << (suffix.exponent / 2));
    amount.mantissa.MultiplyBy(uint32_t{1} << (suffix.exponent / 2));
  }
  if (!amount.mantissa.is_zero()) amount.RoundTo(kNano);
  const Decimal largest{.mantissa = BigInt(std::numeric_limits<int64_t>::max()), .exponent = 0};
  if (suffix.base == 2 && Compare(amount, largest) > 0) amount = largest;
  return amount;
}

}  // namespace

Result<Quantity> Quantity::Parse(std::string_view text) {
  const std::optional<Parts> parts = Split(text);
  if (text.empty() || !parts) return Invalid(std::string(kWrongFormat));
  const std::optional<Suffix> suffix = ParseSuffix(parts->suffix);
  if (!suffix) return Invalid(std::string(kWrongSuffix));

  if (const std::optional<Small> small = ParseSmall(*parts, *suffix)) {
    Quantity quantity(small->mantissa, small->exponent, suffix->format);
    if (KeepsSpelling(*parts, *suffix, *small) && quantity.Canonical() != text) {
      quantity.rare_ = std::make_shared<const Rare>(Rare{.decimal = {}, .text = std::string(text)});
    }
    return quantity;
  }

  if (!parts->has_digits) return Invalid(std::string(kWrongNumber));
  Decimal amount = ParseBig(*parts, *suffix);
  const Decimal one{.mantissa = BigInt(1), .exponent = 0};
  const bool is_fraction = !amount.mantissa.is_zero() && Compare(amount, one) < 0;
  const Format format = suffix->format == Format::kBinarySi && is_fraction ? Format::kDecimalSi : suffix->format;
  if (parts->negative) amount.mantissa.Negate();
  return Quantity(std::move(amount), format);
}

}  // namespace berth::api
