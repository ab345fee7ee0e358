// SPDX-License-Identifier: Apache-2.0
// Go values: reads flag values as Go's standard library does, with its error texts.
//
// Operators grep for these texts, and what counts as a number (0x1f, 1_000, +Inf) is part of the command line's
// contract.

#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace berth::scheduler_app {

Result<bool> ParseGoBool(std::string_view text);
// With the prefixes 0x, 0o, 0b and 0, and underscores between digits. `bits` is 32 or 64.
Result<int64_t> ParseGoInt(std::string_view text, int bits);
// Decimal; at most `max`.
Result<uint64_t> ParseGoUint(std::string_view text, uint64_t max);
Result<float> ParseGoFloat(std::string_view text);

// The shortest text that reads back as the same number, like %g.
std::string FormatGoFloat(float value);
// A byte in single quotes, like %q of a rune.
std::string GoQuoteByte(char byte);

// The first record of comma-separated values with double quotes; none in an empty text.
Result<std::vector<std::string>> SplitCsv(std::string_view text);
std::string JoinCsv(const std::vector<std::string>& values);

}  // namespace berth::scheduler_app
