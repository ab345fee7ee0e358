// SPDX-License-Identifier: Apache-2.0
#include "cel/expression.h"

#include <algorithm>
#include <utility>

#include "cel/ast.h"
#include "cel/checker.h"
#include "cel/cost_estimate.h"
#include "cel/operations.h"
#include "cel/parser.h"
#include "cel/validator.h"

namespace berth::cel {

std::expected<Expression, Expression::Refusal> Expression::Compile(std::string_view text,
                                                                   const Environment& environment, const TypeRule& rule,
                                                                   bool estimates_cost) {
  Ast ast;
  TypeTable types;
  Issues issues(text);
  Parse(text, ast, issues, environment.has_bindings);
  if (issues.empty()) Check(ast, environment, types, issues);
  if (issues.empty()) Validate(ast, issues);
  if (!issues.empty()) return std::unexpected(Refusal{Stage::kText, issues.ToString()});
  if (std::optional<std::string> refusal = rule(ast.root->type, types)) {
    return std::unexpected(Refusal{Stage::kType, *std::move(refusal)});
  }
  Result<Program> program = Program::Make(ast, environment);
  if (!program) return std::unexpected(Refusal{Stage::kProgram, program.error().message});
  Expression made(*std::move(program));
  made.result_type_ = TypeToString(ast.root->type);
  if (estimates_cost) made.max_cost_ = EstimateCost(ast, environment);
  made.names_ = ast.References();
  return made;
}

bool Expression::Refers(std::string_view name) const { return std::ranges::binary_search(names_, name); }

Expression::Outcome Expression::Evaluate(Arena& arena, std::span<const Value> variables, uint64_t cost_limit) const {
  CostTracker costs(cost_limit, program_.id_end());
  Outcome outcome;
  try {
    outcome.value = program_.Evaluate(arena, costs, variables);
  } catch (const Cancelled& cancelled) {
    // The arena may be what is full.
    outcome.value = Value::Error(arena.Keep(cancelled.message));
  }
  outcome.cost = costs.cost();
  return outcome;
}

}  // namespace berth::cel
