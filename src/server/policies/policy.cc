// SPDX-License-Identifier: Apache-2.0
#include "server/policies/policy.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>
#include <span>
#include <utility>

#include "cel/containers.h"
#include "cel/declared_environment.h"
#include "cel/operations.h"
#include "server/model/joined_errors.h"
#include "server/policies/dynamic_values.h"
#include "server/policies/policy_types.h"

namespace berth::server {

// What an expression came to.
struct PolicyResult {
  bool is_there = false;  // Otherwise there was no expression.
  std::string error = {};
  bool is_true = false;
  bool is_false = false;
  bool is_text = false;
  std::string text = {};
};

namespace {

using cel::TypeKind;
using cel::Value;

constexpr uint64_t kCallLimit = 1'000'000;
// Of an evaluation that costs nothing by upstream's count, for what all policies may cost together.
constexpr uint64_t kCostOfBeginning = 400;
constexpr int64_t kBudget = 10'000'000;
constexpr int64_t kConditionBudget = 2'500'000;
constexpr size_t kMessageMax = 5 * 1024;
// Of variables that ask for each other; each may nest as deep as any expression, and all of them share one stack.
constexpr size_t kVariableLevelsMax = 32;
constexpr std::string_view kOutOfBudget =
    "validation failed due to running out of cost budget, no further validation rules will be run";

std::string_view NameOfType(TypeKind kind) {
  switch (kind) {
    case TypeKind::kBool: return "bool";
    case TypeKind::kString: return "string";
    default: return "null_type";
  }
}

std::optional<std::string> RefuseType(const cel::Type& type, const WantedTypes& wanted) {
  if (wanted.empty() || std::ranges::find(wanted, type.kind) != wanted.end()) return std::nullopt;
  const std::string is = cel::TypeToString(&type);
  if (wanted.size() == 1) return fmt::format("must evaluate to {} but got {}", NameOfType(wanted[0]), is);
  std::string names;
  for (const TypeKind kind : wanted) names += (names.empty() ? "" : " ") + std::string(NameOfType(kind));
  return fmt::format("must evaluate to one of [{}] but got {}", names, is);
}

}  // namespace

std::string_view WithoutSpaces(std::string_view text) {
  const size_t first = text.find_first_not_of(" \t\n\v\f\r");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t\n\v\f\r") - first + 1);
}

PolicyCompiler::PolicyCompiler(bool knows_variables, bool has_params)
    : knows_variables_(knows_variables), has_params_(has_params), variables_(TypeKind::kStruct) {
  variables_.name = "kubernetes.variables";
}

PolicyExpression PolicyCompiler::Compile(const std::string& text, const WantedTypes& wanted, bool is_stored) {
  return CompileBy(text, [&](const cel::Type* type, cel::TypeTable&) { return RefuseType(*type, wanted); }, is_stored);
}

PolicyExpression PolicyCompiler::CompileBy(const std::string& text, const cel::Expression::TypeRule& rule,
                                           bool is_stored) {
  cel::DeclaredEnvironment environment(cel::Library::Get(is_stored));
  // In the order of Run's values.
  environment.Add("object", DynamicType(), "");
  environment.Add("oldObject", DynamicType(), "");
  environment.Add("namespaceObject", NamespaceType(), "");
  environment.Add("request", RequestType(), "");
  environment.Add(has_params_ ? "params" : "", DynamicType(), "");
  if (knows_variables_) environment.Add("variables", variables_, "");
  PolicyExpression compiled;
  compiled.text = text;
  auto program = cel::Expression::Compile(text, environment, rule, false);
  if (program) {
    compiled.program = *std::move(program);
    return compiled;
  }
  const cel::Expression::Refusal& refusal = program.error();
  compiled.is_internal = refusal.stage == cel::Expression::Stage::kProgram;
  switch (refusal.stage) {
    case cel::Expression::Stage::kText: compiled.error = "compilation failed: " + refusal.detail; break;
    case cel::Expression::Stage::kType: compiled.error = refusal.detail; break;
    case cel::Expression::Stage::kProgram: compiled.error = "program instantiation failed: " + refusal.detail; break;
  }
  return compiled;
}

PolicyExpression PolicyCompiler::CompileVariable(const std::string& name, const std::string& text, bool is_stored) {
  cel::DeclaredType type(TypeKind::kDyn);
  const auto note = [&](const cel::Type* result, cel::TypeTable&) -> std::optional<std::string> {
    type = DeclareTypeOf(*result);
    return std::nullopt;
  };
  PolicyExpression compiled = CompileBy(text, note, is_stored);
  if (!compiled.program) type = cel::DeclaredType(TypeKind::kDyn);
  std::erase_if(variables_.fields, [&](const cel::DeclaredField& field) { return field.name == name; });
  variables_.fields.push_back({name, std::move(type)});
  std::ranges::sort(variables_.fields, {}, &cel::DeclaredField::name);
  return compiled;
}

// The expressions of one kind, one after the other, with the variables that they ask for.
class Policy::Run final : public cel::MapSource {
 public:
  Run(const Policy& policy, const PolicyInput& input, int64_t budget, int64_t& spent)
      : policy_(policy), budget_(budget), spent_(spent) {
    values_ = {ToDynamicValue(arena_, input.object),           ToDynamicValue(arena_, input.old),
               ToDynamicValue(arena_, input.namespace_object), ToDynamicValue(arena_, input.request),
               ToDynamicValue(arena_, input.params),           Value::Of(arena_.Make<cel::Map>(*this))};
  }

  int64_t budget() const { return budget_; }

  // False if the budget has run out.
  bool Evaluate(const PolicyExpression& expression, PolicyResult& result) {
    if (expression.text.empty()) return true;
    result.is_there = true;
    if (!expression.program) {
      result.error = "compilation error: " + expression.error;
      return true;
    }
    const cel::Expression::Outcome outcome = expression.program->Evaluate(arena_, values_, kCallLimit);
    const uint64_t cost = outcome.cost + std::exchange(cost_of_variables_, 0);
    spent_ += static_cast<int64_t>(std::clamp<uint64_t>(cost, kCostOfBeginning, kBudget));
    if (cost > static_cast<uint64_t>(budget_)) return false;
    budget_ -= static_cast<int64_t>(cost);
    const Value& value = outcome.value;
    if (value.is_error()) {
      result.error = fmt::format("expression '{}' resulted in error: {}", expression.text, value.message());
    }
    result.is_true = value.is_true();
    result.is_false = value.is_false();
    result.is_text = value.Is(cel::Kind::kString);
    if (result.is_text) result.text = value.string();
    return true;
  }

  // As the source of `variables`.
  void Fill(cel::Map& map) const override {
    for (const Variable& variable : policy_.variables_) FillOne(map, Value::String(variable.name));
  }
  bool FillOne(cel::Map& map, const Value& key) const override {
    if (!key.Is(cel::Kind::kString) || !done_.insert(std::string(key.string())).second) return true;
    // Of several with one name the last counts.
    const auto found = std::find_if(policy_.variables_.rbegin(), policy_.variables_.rend(),
                                    [&](const Variable& variable) { return variable.name == key.string(); });
    if (found != policy_.variables_.rend()) map.Set(Value::String(found->name), ValueOf(*found));
    return true;
  }
  size_t size() const override { return policy_.variables_.size(); }
  Value Equal(cel::Arena& /*arena*/, const cel::Map& map, const cel::Map& other) const override {
    return Value::Bool(&map == &other);
  }

 private:
  Value ValueOf(const Variable& variable) const {
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

  const Policy& policy_;
  int64_t budget_;
  int64_t& spent_;
  mutable cel::Arena arena_;
  std::array<Value, 6> values_;
  mutable std::set<std::string, std::less<>> done_;
  mutable uint64_t cost_of_variables_ = 0;
  mutable size_t levels_ = 0;  // Of variables that are being evaluated.
};

Policy::Policy(const Json& spec) : fails_(spec["failurePolicy"].text() != "Ignore") {
  PolicyCompiler compiler(true, spec["paramKind"].is_map());
  for (const Json& variable : spec["variables"].items()) {
    if (variables_.size() == kVariablesMax) break;  // An import may bring what would not have been created.
    const std::string& name = variable["name"].text();
    variables_.push_back({name, compiler.CompileVariable(name, variable["expression"].text(), true)});
  }
  for (const Json& condition : spec["matchConditions"].items()) {
    conditions_.push_back(compiler.Compile(condition["expression"].text(), {TypeKind::kBool}, true));
  }
  for (const Json& validation : spec["validations"].items()) {
    const std::string& message = validation["messageExpression"].text();
    validations_.push_back({.expression = compiler.Compile(validation["expression"].text(), {TypeKind::kBool}, true),
                            .message_expression = message.empty()
                                                      ? PolicyExpression()
                                                      : compiler.Compile(message, {TypeKind::kString}, true),
                            .message = validation["message"].text(),
                            .reason = validation["reason"].text()});
  }
  for (const Json& annotation : spec["auditAnnotations"].items()) {
    annotations_.push_back(
        compiler.Compile(annotation["valueExpression"].text(), {TypeKind::kString, TypeKind::kNull}, true));
  }
}

std::optional<bool> Policy::Matches(const PolicyInput& input, int64_t& spent, std::string& error) const {
  // Conditions see no namespace.
  const Json none;
  Run run(*this, {input.object, input.old, input.request, none, input.params}, kConditionBudget, spent);
  std::vector<PolicyResult> results;
  for (const PolicyExpression& condition : conditions_) {
    if (!run.Evaluate(condition, results.emplace_back())) {
      error = kOutOfBudget;
      return std::nullopt;
    }
  }
  std::vector<std::string> errors;
  for (const PolicyResult& result : results) {
    if (result.is_false) return false;
    if (!result.error.empty()) errors.push_back(result.error);
  }
  if (errors.empty()) return true;
  error = JoinErrors(errors);
  return std::nullopt;
}

std::vector<Policy::Verdict> Policy::Judge(const PolicyInput& input, int64_t& spent) const {
  if (!conditions_.empty()) {
    std::string error;
    const std::optional<bool> matches = Matches(input, spent, error);
    if (!matches && fails_) return {ForError(error)};
    if (!matches.value_or(false)) return {};
  }
  Run run(*this, input, kBudget, spent);
  std::vector<PolicyResult> results(validations_.size());
  for (size_t i = 0; i < validations_.size(); ++i) {
    if (!run.Evaluate(validations_[i].expression, results[i])) return {ForError(std::string(kOutOfBudget))};
  }
  Run messages(*this, input, run.budget(), spent);
  std::vector<PolicyResult> texts(validations_.size());
  std::string failure;
  for (size_t i = 0; i < validations_.size() && failure.empty(); ++i) {
    if (!messages.Evaluate(validations_[i].message_expression, texts[i])) failure = kOutOfBudget;
  }
  std::vector<Verdict> verdicts;
  for (size_t i = 0; i < validations_.size(); ++i) {
    verdicts.push_back(JudgeBy(validations_[i], results[i], failure.empty() ? &texts[i] : nullptr, failure));
  }
  // What annotations say goes to an audit log, which is not kept; that they fail is an error all the same.
  Run annotations(*this, input, kBudget, spent);
  for (const PolicyExpression& annotation : annotations_) {
    PolicyResult result;
    if (!annotations.Evaluate(annotation, result)) return {ForError(std::string(kOutOfBudget))};
    if (!result.error.empty() && fails_) verdicts.push_back({.denies = true, .message = result.error});
  }
  return verdicts;
}

Policy::Verdict Policy::JudgeBy(const Validation& validation, const PolicyResult& result, const PolicyResult* message,
                                const std::string& failure) const {
  if (!result.error.empty()) return ForError(result.error);
  if (!failure.empty()) return ForError("failed messageExpression: " + failure);
  if (result.is_true) return {};
  Verdict verdict{.denies = true, .message = {}, .reason = validation.reason};
  if (message != nullptr && message->error.empty() && message->is_text) {
    const std::string_view text = WithoutSpaces(message->text);
    if (text.size() <= kMessageMax && text.find('\n') == std::string_view::npos) verdict.message = text;
  }
  if (verdict.message.empty()) verdict.message = WithoutSpaces(validation.message);
  if (verdict.message.empty()) {
    verdict.message = fmt::format("failed expression: {}", WithoutSpaces(validation.expression.text));
  }
  return verdict;
}

}  // namespace berth::server
