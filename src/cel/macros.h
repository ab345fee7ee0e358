// SPDX-License-Identifier: Apache-2.0
// Macros: calls that stand for larger expressions, such as has(a.b) and list.all(x, x > 0).

#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "cel/ast.h"

namespace berth::cel {

struct MacroError {
  Offset offset = kNowhere;
  std::string message;
};

struct Expansion {
  Expr* expr = nullptr;  // nullptr: the call is no macro.
  std::optional<MacroError> error;
};

// What a call stands for; `target` is nullptr in global calls. `offset` is the call's place, which all new parts get.
Expansion ExpandMacro(Ast& ast, Offset offset, std::string_view function, Expr* target, std::span<Expr* const> args);

}  // namespace berth::cel
