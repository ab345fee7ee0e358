// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <string>
#include <string_view>

#include "api/parts/quantity.h"

namespace berth::api {
namespace {

std::string MagnitudeDigits(int64_t value) {
  const uint64_t bits = static_cast<uint64_t>(value);
  return std::to_string(value < 0 ? 0 - bits : bits);
}

// Powers without a suffix print as if they had the empty one, as in Kubernetes: 1000E prints as 1.
std::string_view DecimalSuffix(int64_t exponent) {
  constexpr std::string_view kSuffixes[] = {"n", "u", "m", "", "k", "M", "G", "T", "P", "E"};
  return exponent < -9 || exponent > 18 ? "" : kSuffixes[(exponent + 9) / 3];
}

std::string_view BinarySuffix(size_t power_of_1024) {
  constexpr std::string_view kSuffixes[] = {"", "Ki", "Mi", "Gi", "Ti", "Pi", "Ei"};
  return power_of_1024 < std::size(kSuffixes) ? kSuffixes[power_of_1024] : "";
}

}  // namespace

std::string Quantity::String() const { return rare_ != nullptr && !rare_->text.empty() ? rare_->text : Canonical(); }

std::string Quantity::Canonical() const {
  if (IsZero()) return "0";
  if (format_ != Format::kBinarySi) return CanonicalDecimal(format_);
  return PrintsAsBinary() ? CanonicalBinary() : CanonicalDecimal(Format::kDecimalSi);
}

// Small amounts and fractions print in decimal, where nothing needs rounding.
bool Quantity::PrintsAsBinary() const {
  if (Cmp(FromInt(-1024)) > 0 && Cmp(FromInt(1024)) < 0) return false;
  if (Big() == nullptr && exponent_ == 0) return true;
  Decimal rounded = AsDecimal();
  return rounded.RoundTo(0) && rounded.exponent == 0;
}

std::string Quantity::CanonicalDecimal(Format format) const {
  const Decimal* big = Big();
  std::string digits = big != nullptr ? big->mantissa.Digits() : MagnitudeDigits(mantissa_);
  int64_t exponent = big != nullptr ? big->exponent : exponent_;

  const size_t significant = digits.find_last_not_of('0') + 1;
  exponent += static_cast<int64_t>(digits.size() - significant);
  digits.resize(significant);
  const int64_t surplus = (exponent % 3 + 3) % 3;
  digits.append(static_cast<size_t>(surplus), '0');
  exponent -= surplus;

  const std::string_view sign = Sign() < 0 ? "-" : "";
  if (format == Format::kDecimalSi) return fmt::format("{}{}{}", sign, digits, DecimalSuffix(exponent));
  return exponent == 0 ? fmt::format("{}{}", sign, digits) : fmt::format("{}{}e{}", sign, digits, exponent);
}

// REQUIRES: the amount is an integer other than zero.
std::string Quantity::CanonicalBinary() const {
  Decimal whole = AsDecimal();
  whole.RoundTo(0);
  size_t power_of_1024 = 0;
  for (BigInt quotient = whole.mantissa; quotient.DivideBy(1024) == 0; ++power_of_1024) whole.mantissa = quotient;
  const std::string_view sign = Sign() < 0 ? "-" : "";
  return fmt::format("{}{}{}", sign, whole.mantissa.Digits(), BinarySuffix(power_of_1024));
}

}  // namespace berth::api
