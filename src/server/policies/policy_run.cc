// SPDX-License-Identifier: Apache-2.0
#include "server/policies/policy_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "cel/operations.h"
#include "server/model/joined_errors.h"
#include "server/policies/dynamic_values.h"

namespace berth::server {
namespace {

using cel::Value;

constexpr uint64_t kCallLimit = 1'000'000;
// Of an evaluation that costs nothing by upstream's count, for what all policies may cost together.
constexpr uint64_t kCostOfBeginning = 400;
constexpr int64_t kConditionBudget = 2'500'000;
// Of variables that ask for each other; each may nest as deep as any expression, and all of them share one stack.
constexpr size_t kVariableLevelsMax = 32;

}  // namespace

PolicyRun::PolicyRun(const std::vector<PolicyVariable>& variables, const PolicyInput& input, int64_t budget,
                     int64_t& spent)
    : variables_(variables), budget_(budget), spent_(spent) {
  values_ = {ToDynamicValue(arena_, input.object),           ToDynamicValue(arena_, input.old),
             ToDynamicValue(arena_, input.namespace_object), ToDynamicValue(arena_, input.request),
             ToDynamicValue(arena_, input.params),           Value::Of(arena_.Make<cel::Map>(*this))};
}

bool PolicyRun::Evaluate(const PolicyExpression& expression, PolicyResult& result) {
  if (expression.text.empty()) return true;
  result.is_there = true;
  if (!expression.program) {
    result.error = "compilation error: " + expression.error;
    return true;
  }
  const cel::Expression::Outcome outcome = expression.program->Evaluate(arena_, values_, kCallLimit);
  const uint64_t cost = outcome.cost + std::exchange(cost_of_variables_, 0);
  spent_ += static_cast<int64_t>(std::clamp<uint64_t>(cost, kCostOfBeginning, kPolicyBudget));
  if (cost > static_cast<uint64_t>(budget_)) return false;
  budget_ -= static_cast<int64_t>(cost);
  result.value = outcome.value;
  if (result.value.is_error()) {
    result.error = fmt::format("expression '{}' resulted in error: {}", expression.text, result.value.message());
  }
  return true;
}

void PolicyRun::Fill(cel::Map& map) const {
  for (const PolicyVariable& variable : variables_) FillOne(map, Value::String(variable.name));
}

bool PolicyRun::FillOne(cel::Map& map, const Value& key) const {
  if (!key.Is(cel::Kind::kString) || !done_.insert(std::string(key.string())).second) return true;
  // Of several with one name the last counts.
  const auto found = std::find_if(variables_.rbegin(), variables_.rend(),
                                  [&](const PolicyVariable& variable) { return variable.name == key.string(); });
  if (found != variables_.rend()) map.Set(Value::String(found->name), ValueOf(*found));
  return true;
}

Value PolicyRun::ValueOf(const PolicyVariable& variable) const {
  const PolicyExpression& expression = variable.expression;
  if (!expression.program) {
    return cel::Fail(arena_,
                     fmt::format("composited variable \"{}\" fails to compile: {}", variable.name, expression.error));
  }
  const auto fail = [&](std::string_view why) {
    return Value::Error(
        arena_.Keep(fmt::format("composited variable \"{}\" fails to evaluate: {}", variable.name, why)));
  };
  if (levels_ == kVariableLevelsMax) return fail("too many variables ask for each other");
  ++levels_;
  const cel::Expression::Outcome outcome = expression.program->Evaluate(arena_, values_, kCallLimit);
  --levels_;
  cost_of_variables_ += outcome.cost;
  return outcome.value.is_error() ? fail(outcome.value.message()) : outcome.value;
}

PolicyScope::PolicyScope(const Json& spec, PolicyCompiler& compiler) : fails(spec["failurePolicy"].text() != "Ignore") {
  for (const Json& variable : spec["variables"].items()) {
    if (variables.size() == kVariablesMax) break;  // An import may bring what would not have been created.
    const std::string& name = variable["name"].text();
    variables.push_back({name, compiler.CompileVariable(name, variable["expression"].text(), true)});
  }
  for (const Json& condition : spec["matchConditions"].items()) {
    conditions.push_back(compiler.Compile(condition["expression"].text(), {cel::TypeKind::kBool}, true));
  }
}

std::optional<bool> PolicyScope::Matches(const PolicyInput& input, int64_t& spent, std::string& error) const {
  if (conditions.empty()) return true;
  // Conditions see no namespace.
  const Json none;
  PolicyRun run(variables, {input.object, input.old, input.request, none, input.params}, kConditionBudget, spent);
  std::vector<PolicyResult> results;
  std::vector<std::string> errors;
  for (const PolicyExpression& condition : conditions) {
    if (!run.Evaluate(condition, results.emplace_back())) {
      errors.emplace_back(kPolicyOutOfBudget);
      results.clear();
      break;
    }
  }
  for (const PolicyResult& result : results) {
    if (result.is_false()) return false;
    if (!result.error.empty()) errors.push_back(result.error);
  }
  if (errors.empty()) return true;
  if (!fails) return false;
  error = JoinErrors(errors);
  return std::nullopt;
}

}  // namespace berth::server
