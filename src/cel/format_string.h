// SPDX-License-Identifier: Apache-2.0
// FormatString: "%d of %s".format([1, "a"]), and the check of format strings at compile time.

#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "base/result.h"
#include "cel/arena.h"
#include "cel/value.h"

namespace berth::cel {

// The string with its clauses filled in. args: the format, the list of arguments.
Value FormatString(Arena& arena, std::span<const Value> args);

struct FormatClause {
  char verb = 's';
  std::optional<int> precision;
};

// What a clause makes of the argument at an index; an error is its reason.
using FormatArgument = std::function<Result<std::string>(const FormatClause& clause, size_t index)>;

// Goes through the clauses of a format with that many arguments. An error of `format_argument` gets upstream's prefix;
// `failed_argument`, if given, takes the index of the argument then. `looks_ahead`: the end of the format is looked at
// before the number of arguments, as the check at compile time does it.
Result<std::string> WalkFormat(std::string_view format, size_t argument_count, bool looks_ahead,
                               const FormatArgument& format_argument, std::optional<size_t>* failed_argument = nullptr);

// Why a clause cannot print values of a type.
std::string UnfitForClause(char verb, std::string_view type_name);

}  // namespace berth::cel
