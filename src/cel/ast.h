// SPDX-License-Identifier: Apache-2.0
// Expr and Ast: an expression as a tree, with its macros expanded.
//
// The parser makes the tree; the checker adds types and finds out which overloads calls mean.

#pragma once

#include <cstdint>
#include <deque>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "cel/arena.h"
#include "cel/source.h"
#include "cel/value.h"

namespace berth::cel {

struct Overload;
struct Type;
struct Expr;

enum class ExprKind : uint8_t { kLiteral, kIdent, kSelect, kCall, kList, kMap, kStruct, kComprehension, kError };

// Folds `range` into the accumulator: for each element, while the condition holds, the accumulator becomes `step`.
struct Comprehension {
  std::string iter_var;
  std::string iter_var2;  // Empty in those with one variable.
  std::string accu_var;
  Expr* range = nullptr;
  Expr* init = nullptr;
  Expr* condition = nullptr;
  Expr* step = nullptr;
  Expr* result = nullptr;
};

struct Expr {
  ExprKind kind = ExprKind::kError;
  int32_t id = 0;  // Unique in its tree.
  Offset offset = kNowhere;

  Value literal;
  std::string name;             // Of an identifier, a field, a function or a struct type.
  Expr* target = nullptr;       // Of a select or a member call.
  bool is_test = false;         // has(target.name).
  std::vector<Expr*> args;      // Of a call; elements of a list; keys and values of a map in turn; values of a struct.
  std::vector<bool> optionals;  // Per element or entry: whether it has a question mark.
  std::vector<std::string> fields;  // Of a struct.
  std::vector<Offset> field_offsets;
  Comprehension* fold = nullptr;

  // From the checker.
  const Type* type = nullptr;
  std::vector<const Overload*> overloads;  // Of a call.
  bool is_reference = false;               // An identifier or a select that names a variable or a type.
  bool is_global = false;                  // And the outermost one of this name, whatever shadows it.
};

// The name of accumulators that macros make; no identifier can be spelt like this.
inline constexpr std::string_view kAccumulator = "@result";
inline bool IsAccumulator(std::string_view name) { return name == kAccumulator || name == "__result__"; }
inline constexpr std::string_view kUnusedVariable = "#unused";

class Ast {
 public:
  Expr* New(ExprKind kind, Offset offset) {
    Expr& expr = exprs_.emplace_back();
    expr.kind = kind;
    expr.id = static_cast<int32_t>(exprs_.size());
    expr.offset = offset;
    return &expr;
  }
  Comprehension* NewComprehension() { return &folds_.emplace_back(); }

  // The names of identifiers that were resolved, sorted.
  std::vector<std::string> References() const {
    std::set<std::string> names;
    for (const Expr& expr : exprs_) {
      if (expr.is_reference) names.insert(expr.name);
    }
    return {names.begin(), names.end()};
  }

  int32_t id_end() const { return static_cast<int32_t>(exprs_.size()) + 1; }

  // Texts of literals.
  Arena& arena() { return arena_; }

  Expr* root = nullptr;

 private:
  std::deque<Expr> exprs_;
  std::deque<Comprehension> folds_;
  Arena arena_;
};

}  // namespace berth::cel
