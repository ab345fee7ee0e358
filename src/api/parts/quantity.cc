// SPDX-License-Identifier: Apache-2.0
#include "api/parts/quantity.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <limits>
#include <optional>
#include <string>
#include <utility>

namespace berth::api {
namespace {

__extension__ typedef __int128 Int128;

constexpr int64_t kInt64Digits = 18;  // 10^18 is the largest power of ten in an int64.

constexpr auto kPowersOfTen = [] {
  std::array<int64_t, kInt64Digits + 1> powers{1};
  for (size_t i = 1; i < powers.size(); ++i) powers[i] = powers[i - 1] * 10;
  return powers;
}();

int64_t PowerOfTen(int64_t digits) { return kPowersOfTen[static_cast<size_t>(digits)]; }

int SignOf(std::strong_ordering order) { return order < 0 ? -1 : (order > 0 ? 1 : 0); }

// value * 10^digits, or nothing if that leaves int64.
std::optional<int64_t> ScaleUp(int64_t value, int64_t digits) {
  if (value == 0) return 0;
  int64_t result = 0;
  if (digits > kInt64Digits || __builtin_mul_overflow(value, PowerOfTen(digits), &result)) return std::nullopt;
  return result;
}

// value / 10^digits, rounded away from zero.
int64_t ScaleDown(int64_t value, int64_t digits) {
  const int sign = SignOf(value <=> 0);
  if (digits > kInt64Digits) return sign;
  const int64_t divisor = PowerOfTen(digits);
  return value / divisor + (value % divisor != 0 ? sign : 0);
}

int64_t WrappingMultiply(int64_t left, int64_t right) {
  return static_cast<int64_t>(static_cast<uint64_t>(left) * static_cast<uint64_t>(right));
}

// ScaleUp for callers that do not look at overflow: Kubernetes wraps for the common scales and yields 0 for others.
int64_t ScaleUpUnchecked(int64_t value, int64_t digits) {
  const bool wraps = digits <= 3 || digits == 6 || digits == 9;
  return wraps ? WrappingMultiply(value, PowerOfTen(digits)) : ScaleUp(value, digits).value_or(0);
}

int64_t WrappingIncrement(int64_t value) { return static_cast<int64_t>(static_cast<uint64_t>(value) + 1); }

// Beyond int64 the results are meaningless, but they are those of Kubernetes, which wraps and which turns a power of
// ten that is too large into the lowest int64.
int64_t ScaledValueOf(const Decimal& decimal, int32_t scale) {
  const int64_t excess = decimal.exponent - scale;
  const int64_t low = decimal.mantissa.Low64();
  if (excess >= 0) {
    const int64_t factor = excess > kInt64Digits ? std::numeric_limits<int64_t>::min() : PowerOfTen(excess);
    return WrappingMultiply(low, factor);
  }
  // Negative mantissas below int64 take this path too, and negative ones round up from a truncated quotient.
  if (decimal.mantissa < BigInt(std::numeric_limits<int64_t>::max()) && -excess <= kInt64Digits) {
    const int64_t divisor = PowerOfTen(-excess);
    return low / divisor + (low % divisor != 0 ? 1 : 0);
  }
  BigInt quotient = decimal.mantissa;
  const bool exact = quotient.ShiftRight(static_cast<size_t>(-excess));
  if (exact || decimal.mantissa.is_negative()) return quotient.Low64();
  return WrappingIncrement(quotient.Low64());
}

double ReadDouble(std::string_view digits) {
  double number = 0;
  const auto result = std::from_chars(digits.data(), digits.data() + digits.size(), number);
  return result.ec == std::errc() ? number : std::numeric_limits<double>::infinity();
}

}  // namespace

Quantity::Quantity(Decimal decimal, Format format)
    : format_(format), rare_(std::make_shared<const Rare>(Rare{.decimal = std::move(decimal), .text = {}})) {}

std::optional<int64_t> Quantity::AsInt() const {
  if (Big() != nullptr || exponent_ < 0) return std::nullopt;
  return ScaleUp(mantissa_, exponent_);
}

double Quantity::AsApproximateFloat() const {
  const Decimal* big = Big();
  const double base = big != nullptr ? ReadDouble((big->mantissa.is_negative() ? "-" : "") + big->mantissa.Digits())
                                     : static_cast<double>(mantissa_);
  const int64_t exponent = big != nullptr ? big->exponent : exponent_;
  if (exponent == 0) return base;
  if (exponent < -323) return base * 0;
  if (exponent > 308) return base * std::numeric_limits<double>::infinity();
  return base * ReadDouble("1e" + std::to_string(exponent));
}

Decimal Quantity::AsDecimal() const {
  const Decimal* big = Big();
  return big != nullptr ? *big : Decimal{.mantissa = BigInt(mantissa_), .exponent = exponent_};
}

int64_t Quantity::ScaledValue(int32_t scale) const {
  if (const Decimal* big = Big()) return ScaledValueOf(*big, scale);
  const int64_t excess = int64_t{exponent_} - scale;
  return excess < 0 ? ScaleDown(mantissa_, -excess) : ScaleUpUnchecked(mantissa_, excess);
}

int Quantity::Sign() const {
  const Decimal* big = Big();
  return big != nullptr ? big->mantissa.Sign() : SignOf(mantissa_ <=> 0);
}

int Quantity::Cmp(const Quantity& other) const {
  const int64_t excess = int64_t{exponent_} - other.exponent_;
  if (Big() != nullptr || other.Big() != nullptr || excess > kInt64Digits || excess < -kInt64Digits) {
    return SignOf(Compare(AsDecimal(), other.AsDecimal()));
  }
  const Int128 left = Int128{mantissa_} * (excess > 0 ? PowerOfTen(excess) : 1);
  const Int128 right = Int128{other.mantissa_} * (excess < 0 ? PowerOfTen(-excess) : 1);
  return left < right ? -1 : (left > right ? 1 : 0);
}

// Adds at the finer exponent of the two; false, with nothing changed, if that leaves int64.
bool Quantity::AddSmall(const Quantity& other) {
  if (other.mantissa_ == 0) return true;
  if (mantissa_ == 0) {
    mantissa_ = other.mantissa_;
    exponent_ = other.exponent_;
    return true;
  }
  const int32_t common = std::min(exponent_, other.exponent_);
  const auto left = ScaleUp(mantissa_, int64_t{exponent_} - common);
  const auto right = ScaleUp(other.mantissa_, int64_t{other.exponent_} - common);
  int64_t sum = 0;
  if (!left || !right || __builtin_add_overflow(*left, *right, &sum)) return false;
  mantissa_ = sum;
  exponent_ = common;
  return true;
}

void Quantity::Add(const Quantity& other) {
  const Format format = IsZero() ? other.format_ : format_;
  if (Big() == nullptr && other.Big() == nullptr && AddSmall(other)) {
    format_ = format;
    rare_ = nullptr;
    return;
  }
  Decimal sum = AsDecimal();
  sum += other.AsDecimal();
  *this = Quantity(std::move(sum), format);
}

void Quantity::Sub(const Quantity& other) {
  if (Big() == nullptr && other.Big() == nullptr) {
    // The lowest int64 is its own negative, as in Kubernetes.
    const auto negative = static_cast<int64_t>(-static_cast<uint64_t>(other.mantissa_));
    const Format format = IsZero() ? other.format_ : format_;
    if (AddSmall(Quantity(negative, other.exponent_, other.format_))) {
      format_ = format;
      rare_ = nullptr;
      return;
    }
  }
  Decimal negated = other.AsDecimal();
  negated.mantissa.Negate();
  Add(Quantity(std::move(negated), other.format_));
}

}  // namespace berth::api
