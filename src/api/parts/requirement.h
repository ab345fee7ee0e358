// SPDX-License-Identifier: Apache-2.0
// Compiling one selector requirement: the part that label selectors and node selectors share.

#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "api/parts/selector.h"

namespace berth::api {

// The operator called `name` (In, NotIn, Exists, DoesNotExist, Gt, Lt).
std::optional<Selector::Op> ParseSelectorOp(std::string_view name);

// Compiles the requirement `written`, whose operator is `op`. Appends to `errors` what is wrong with it, where `path`
// is its path; the result is of use only if nothing was appended.
Selector::Requirement CompileRequirement(const SelectorRequirement& written, Selector::Op op, std::string_view path,
                                         std::vector<std::string>& errors);

}  // namespace berth::api
