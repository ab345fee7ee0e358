// SPDX-License-Identifier: Apache-2.0
#include "base/go_math.h"

#include <bit>
#include <limits>

namespace berth {
namespace {

// x = fraction * 2^exponent with the fraction around 1. Subnormal numbers are taken as they stand, not normalised,
// which gives them a wrong logarithm: the same wrong one as Go's.
struct Split {
  double fraction;
  double exponent;
};

Split SplitAroundOne(double x) {
  constexpr double kHalfSqrt2 = 7.07106781186547524401e-01;
  constexpr uint64_t kMantissaMask = 0x000F'FFFF'FFFF'FFFF;
  const uint64_t bits = std::bit_cast<uint64_t>(x);
  const double half_to_one = std::bit_cast<double>((bits & kMantissaMask) | std::bit_cast<uint64_t>(0.5));
  const double exponent = static_cast<double>(static_cast<int64_t>(bits >> 52) - 0x3FE);
  if (half_to_one <= kHalfSqrt2) return {half_to_one * 2, exponent - 1};
  return {half_to_one, exponent};
}

// The minimax polynomial of fdlibm for log(1 + f) in terms of s = f / (2 + f), even and odd terms apart.
double LogPolynomial(double s) {
  const double s2 = s * s;
  const double s4 = s2 * s2;
  const double odd =
      s2 * (6.666666666666735130e-01 +
            s4 * (2.857142874366239149e-01 + s4 * (1.818357216161805012e-01 + s4 * 1.479819860511658591e-01)));
  const double even = s4 * (3.999999999940941908e-01 + s4 * (2.222219843214978396e-01 + s4 * 1.531383769920937332e-01));
  return odd + even;
}

}  // namespace

double GoLog(double x) {
  constexpr double kLn2High = 6.93147180369123816490e-01;
  constexpr double kLn2Low = 1.90821492927058770002e-10;
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  const uint64_t bits = std::bit_cast<uint64_t>(x);
  if (x == 0) return -kInfinity;
  if (bits >> 63 != 0) return std::bit_cast<double>(uint64_t{0x7FF8'0000'0000'0001});
  if (bits >= std::bit_cast<uint64_t>(kInfinity)) return x;  // Infinity or not a number.

  const auto [fraction, k] = SplitAroundOne(x);
  const double f = fraction - 1;
  const double s = f / (2 + f);
  const double half_square = 0.5 * f * f;
  // The order of operations decides the last bit.
  return k * kLn2High - ((half_square - (s * (half_square + LogPolynomial(s)) + k * kLn2Low)) - f);
}

int64_t RoundHalfAway(double x) {
  constexpr double kLimit = 0x1p63;
  if (!(x > -kLimit && x < kLimit)) return std::numeric_limits<int64_t>::min();
  const int64_t whole = static_cast<int64_t>(x);
  const double rest = x - static_cast<double>(whole);
  if (rest >= 0.5) return whole + 1;
  return rest <= -0.5 ? whole - 1 : whole;
}

}  // namespace berth
