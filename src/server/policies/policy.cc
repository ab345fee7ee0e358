// SPDX-License-Identifier: Apache-2.0
#include "server/policies/policy.h"

#include <fmt/format.h>

#include <string_view>

#include "base/text.h"

namespace berth::server {
namespace {

using cel::TypeKind;

constexpr size_t kMessageMax = 5 * 1024;

}  // namespace

Policy::Policy(const Json& policy)
    : Policy(policy["spec"], PolicyCompiler(true, policy["spec"]["paramKind"].is_map())) {}

Policy::Policy(const Json& spec, PolicyCompiler compiler) : scope_(spec, compiler) {
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

std::vector<Policy::Verdict> Policy::Judge(const PolicyInput& input, int64_t& spent) const {
  std::string error;
  const std::optional<bool> matches = scope_.Matches(input, spent, error);
  if (!matches) return {ForError(error)};
  if (!*matches) return {};
  PolicyRun run(scope_.variables, input, kPolicyBudget, spent);
  std::vector<PolicyResult> results(validations_.size());
  for (size_t i = 0; i < validations_.size(); ++i) {
    if (!run.Evaluate(validations_[i].expression, results[i])) return {ForError(std::string(kPolicyOutOfBudget))};
  }
  PolicyRun messages(scope_.variables, input, run.budget(), spent);
  std::vector<PolicyResult> texts(validations_.size());
  std::string failure;
  for (size_t i = 0; i < validations_.size() && failure.empty(); ++i) {
    if (!messages.Evaluate(validations_[i].message_expression, texts[i])) failure = kPolicyOutOfBudget;
  }
  std::vector<Verdict> verdicts;
  for (size_t i = 0; i < validations_.size(); ++i) {
    verdicts.push_back(JudgeBy(validations_[i], results[i], failure.empty() ? &texts[i] : nullptr, failure));
  }
  // What annotations say goes to an audit log, which is not kept; that they fail is an error all the same.
  PolicyRun annotations(scope_.variables, input, kPolicyBudget, spent);
  for (const PolicyExpression& annotation : annotations_) {
    PolicyResult result;
    if (!annotations.Evaluate(annotation, result)) return {ForError(std::string(kPolicyOutOfBudget))};
    if (!result.error.empty() && scope_.fails) verdicts.push_back({.denies = true, .message = result.error});
  }
  return verdicts;
}

Policy::Verdict Policy::JudgeBy(const Validation& validation, const PolicyResult& result, const PolicyResult* message,
                                const std::string& failure) const {
  if (!result.error.empty()) return ForError(result.error);
  if (!failure.empty()) return ForError("failed messageExpression: " + failure);
  if (result.is_true()) return {};
  Verdict verdict{.denies = true, .message = {}, .reason = validation.reason};
  if (message != nullptr && message->error.empty() && message->value.Is(cel::Kind::kString)) {
    const std::string_view text = Trim(message->value.string());
    if (text.size() <= kMessageMax && text.find('\n') == std::string_view::npos) verdict.message = text;
  }
  if (verdict.message.empty()) verdict.message = Trim(validation.message);
  if (verdict.message.empty()) {
    verdict.message = fmt::format("failed expression: {}", Trim(validation.expression.text));
  }
  return verdict;
}

}  // namespace berth::server
