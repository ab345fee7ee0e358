// SPDX-License-Identifier: Apache-2.0
// Parse: from the text of an expression to its tree.
//
// The limits are cel-go's: nesting of 250, a text of 100,000 characters. Macros copy parts of the tree, so that its
// size has a limit of its own.

#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "cel/ast.h"
#include "cel/source.h"

namespace berth::cel {

inline constexpr int kNestingMax = 250;
inline constexpr size_t kCharactersMax = 100'000;
inline constexpr int32_t kNodesMax = 100'000;

// Sets ast.root, or reports what is wrong. `has_bindings`: whether cel.bind() is a macro.
void Parse(std::string_view text, Ast& ast, Issues& issues, bool has_bindings = true);

}  // namespace berth::cel
