// SPDX-License-Identifier: Apache-2.0
// Quantity: an amount of a resource, such as 100m, 1.5Gi or 12e6.
//
// Reading, rounding, comparing and printing agree with Kubernetes to the last digit, overflow included. Amounts are
// exact to nano; smaller parts round away from zero when read. A quantity remembers which family of suffixes it was
// written with and prints in it again, in canonical form: without a fraction and with the largest suffix that fits.
// One that was written without spare zeros keeps its own spelling (1.555 prints as 1.555) until it is changed.
//
// Cost: 32 bytes; a number that does not fit an int64 mantissa, or has an odd spelling, also owns a shared heap block.

#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/decimal.h"
#include "base/result.h"

namespace berth::api {

class Quantity {
 public:
  enum class Format : uint8_t { kDecimalSi, kBinarySi, kDecimalExponent };

  Quantity() = default;  // Zero.

  // Kubernetes' own error texts. Surrounding space is an error; JSON decoders strip it before.
  static Result<Quantity> Parse(std::string_view text);
  static Quantity FromInt(int64_t value, Format format = Format::kDecimalSi) { return {value, 0, format}; }
  static Quantity FromMilli(int64_t value, Format format = Format::kDecimalSi) { return {value, -3, format}; }

  int64_t Value() const { return ScaledValue(0); }
  int64_t MilliValue() const { return ScaledValue(-3); }
  // The amount in units of 10^scale, rounded up. Beyond int64 the result is what Kubernetes computes: 0 or wrapped.
  int64_t ScaledValue(int32_t scale) const;

  // The amount as a whole number, or nothing if it is none, is not held as one (500m + 500m is not) or does not fit.
  std::optional<int64_t> AsInt() const;
  // The nearest double or one beside it, as Kubernetes computes it.
  double AsApproximateFloat() const;
  // The family of suffixes that it prints in.
  Format format() const { return format_; }

  bool IsZero() const { return Sign() == 0; }
  int Sign() const;                      // -1, 0 or 1.
  int Cmp(const Quantity& other) const;  // -1, 0 or 1.
  bool operator==(const Quantity& other) const { return Cmp(other) == 0; }

  // A quantity of zero takes the suffix family of the other.
  void Add(const Quantity& other);
  void Sub(const Quantity& other);

  std::string String() const;

 private:
  // What few quantities need. The text is empty if and only if the decimal is the amount.
  struct Rare {
    Decimal decimal;
    std::string text;
  };

  Quantity(int64_t mantissa, int32_t exponent, Format format)
      : mantissa_(mantissa), exponent_(exponent), format_(format) {}
  Quantity(Decimal decimal, Format format);

  const Decimal* Big() const { return rare_ != nullptr && rare_->text.empty() ? &rare_->decimal : nullptr; }
  Decimal AsDecimal() const;
  bool AddSmall(const Quantity& other);

  std::string Canonical() const;
  std::string CanonicalDecimal(Format format) const;
  std::string CanonicalBinary() const;
  bool PrintsAsBinary() const;

  int64_t mantissa_ = 0;  // The amount is mantissa_ * 10^exponent_, unless it is Big().
  int32_t exponent_ = 0;
  Format format_ = Format::kDecimalSi;
  std::shared_ptr<const Rare> rare_;
};

}  // namespace berth::api
