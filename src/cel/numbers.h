// SPDX-License-Identifier: Apache-2.0
// Numbers as Go reads, converts and writes them.

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace berth::cel {

// The whole number that a double stands for exactly.
std::optional<int64_t> ExactInt(double number);
std::optional<uint64_t> ExactUint(double number);

// Truncated; nothing for NaN and what does not fit, and for an int neither for the limits themselves.
std::optional<int64_t> TruncatedInt(double number);
std::optional<uint64_t> TruncatedUint(double number);

// -1, 0 or 1. REQUIRES: no NaN.
int Compare(double left, double right);
int Compare(double left, int64_t right);
int Compare(double left, uint64_t right);
int Compare(int64_t left, uint64_t right);

// strconv.ParseInt, ParseUint and ParseFloat; nothing on any error. Base 10 or 16.
std::optional<int64_t> ParseGoInt(std::string_view text, int base = 10);
std::optional<uint64_t> ParseGoUint(std::string_view text, int base = 10);
std::optional<double> ParseGoFloat(std::string_view text);

// fmt's %g and %v.
std::string FormatG(double number);
// strconv.FormatFloat(number, 'f', -1, 64): the shortest digits that read back, without exponent.
std::string FormatShortest(double number);
// fmt's %.Nf.
std::string FormatFixed(double number, int precision);

}  // namespace berth::cel
