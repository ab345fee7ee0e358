// SPDX-License-Identifier: Apache-2.0
// Which failures and successes of pods decide about a job.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <expected>
#include <string>
#include <vector>

#include "api/document/field_error.h"
#include "server/kinds/workloads/job.h"
#include "server/model/checks.h"

namespace berth::server {
namespace {

constexpr size_t kRulesMax = 20;
constexpr size_t kPolicyExitCodesMax = 255;
constexpr size_t kIndexesLengthMax = 64 * 1024;

// An error that shows no value.
void InvalidPlain(const FieldPath& path, std::string_view detail, FieldErrors& errors) {
  errors.Add({.reason = "FieldValueInvalid", .message = fmt::format("Invalid value: {}", detail), .field = path});
}

bool HasMainOrInitContainer(const Json& pod, std::string_view name) {
  const auto has_name = [&](const Json& container) { return container["name"].text() == name; };
  return std::ranges::any_of(pod["containers"].items(), has_name) ||
         std::ranges::any_of(pod["initContainers"].items(), has_name);
}

void ValidateExitCodes(const Json& codes, const Json& pod, const FieldPath& path, FieldErrors& errors) {
  const std::string& op = codes["operator"].text();
  if (op.empty()) {
    errors.Required(path / "operator", R"(valid values: ["In" "NotIn"])");
  } else {
    CheckOneOf(errors, path / "operator", op, {"In", "NotIn"});
  }
  if (const Json* name = codes.Find("containerName"); name != nullptr && !HasMainOrInitContainer(pod, name->text())) {
    errors.Invalid(path / "containerName", *name,
                   "must be one of the container or initContainer names in the pod template");
  }
  const FieldPath values_path = path / "values";
  const Json& values = codes["values"];
  if (values.empty()) {
    errors.Invalid(values_path, values, "at least one value is required");
  } else if (values.size() > kPolicyExitCodesMax) {
    errors.TooMany(values_path, values.size(), kPolicyExitCodesMax);
  }
  bool is_ordered = true;
  for (size_t i = 0; i < values.size(); ++i) {
    const int64_t code = values[i].IntOr(0);
    if (op == "In" && code == 0) errors.Invalid(values_path[i], values[i], "must not be 0 for the In operator");
    const auto first = std::ranges::find(values.items(), values[i]);
    if (first != values.items().begin() + static_cast<ptrdiff_t>(i)) errors.Duplicate(values_path[i], values[i]);
    is_ordered &= i == 0 || values[i - 1].IntOr(0) <= code;
  }
  if (!is_ordered) errors.Invalid(values_path, values, "must be ordered");
}

void ValidatePodConditionPatterns(const Json& conditions, const FieldPath& path, FieldErrors& errors) {
  if (conditions.size() > kRulesMax) errors.TooMany(path, conditions.size(), kRulesMax);
  for (size_t i = 0; i < conditions.size(); ++i) {
    const FieldPath at = path[i];
    CheckQualifiedName(errors, at / "type", conditions[i]["type"].text());
    CheckOneOf(errors, at / "status", conditions[i]["status"].text(), {"False", "True", "Unknown"});
  }
}

void ValidateFailureRule(const Json& rule, const Json& spec, const FieldPath& path, FieldErrors& errors) {
  const std::string& action = rule["action"].text();
  const FieldPath action_path = path / "action";
  if (action.empty()) {
    errors.Required(action_path, R"(valid values: ["Count" "FailIndex" "FailJob" "Ignore"])");
  } else if (action == "FailIndex") {
    if (!spec.Has("backoffLimitPerIndex")) {
      errors.Invalid(action_path, action, "requires the backoffLimitPerIndex to be set");
    }
  } else {
    CheckOneOf(errors, action_path, action, {"Count", "FailIndex", "FailJob", "Ignore"});
  }
  const Json* codes = rule.Find("onExitCodes");
  const Json& conditions = rule["onPodConditions"];
  if (codes != nullptr) ValidateExitCodes(*codes, spec["template"]["spec"], path / "onExitCodes", errors);
  ValidatePodConditionPatterns(conditions, path / "onPodConditions", errors);
  if (codes != nullptr && !conditions.empty()) {
    InvalidPlain(path, "specifying both OnExitCodes and OnPodConditions is not supported", errors);
  }
  if (codes == nullptr && conditions.empty()) {
    InvalidPlain(path, "specifying one of OnExitCodes and OnPodConditions is required", errors);
  }
}

std::expected<int64_t, std::string> ParseIndex(std::string_view text, int64_t end) {
  int32_t index = 0;
  const auto [rest, error] = std::from_chars(text.data(), text.data() + text.size(), index);
  if (error != std::errc() || rest != text.data() + text.size()) {
    return std::unexpected(fmt::format("cannot convert string to integer for index: {}", api::GoQuote(text)));
  }
  if (index >= end) return std::unexpected(fmt::format("too large index: {}", api::GoQuote(text)));
  return index;
}

// How many indexes `1,3-5` has, which must be in order and below `end`.
std::expected<int64_t, std::string> CountIndexes(std::string_view text, int64_t end) {
  int64_t total = 0;
  int64_t last = -1;
  if (text.empty()) return total;
  for (size_t comma = 0; comma != text.npos; text.remove_prefix(std::min(text.size(), comma + 1))) {
    comma = text.find(',');
    const std::string_view range = text.substr(0, comma);
    const size_t dash = range.find('-');
    const auto first = ParseIndex(range.substr(0, dash), end);
    if (!first) return std::unexpected(first.error());
    const auto final = dash == range.npos ? first : ParseIndex(range.substr(dash + 1), end);
    if (!final) return std::unexpected(final.error());
    if (last >= *first)
      return std::unexpected(fmt::format("non-increasing order, previous: {}, current: {}", last, *first));
    if (*first > *final)
      return std::unexpected(fmt::format("non-increasing order, previous: {}, current: {}", *first, *final));
    total += *final - *first + 1;
    last = *final;
  }
  return total;
}

void ValidateSuccessRule(const Json& rule, int64_t completions, const FieldPath& path, FieldErrors& errors) {
  const Json* count = rule.Find("succeededCount");
  const Json* indexes = rule.Find("succeededIndexes");
  if (count == nullptr && indexes == nullptr) {
    errors.Required(path, "at least one of succeededCount or succeededIndexes must be specified");
  }
  int64_t total = 0;
  if (indexes != nullptr) {
    const FieldPath at = path / "succeededIndexes";
    if (indexes->text().size() > kIndexesLengthMax) errors.TooLong(at, kIndexesLengthMax);
    const auto counted = CountIndexes(indexes->text(), completions);
    if (!counted) errors.Invalid(at, *indexes, "error parsing succeededIndexes: " + counted.error());
    total = counted.value_or(0);
  }
  if (count == nullptr) return;
  const FieldPath at = path / "succeededCount";
  const int64_t number = count->IntOr(0);
  CheckNonNegative(errors, path, rule, {"succeededCount"});
  if (number > completions) {
    errors.Invalid(at, *count,
                   fmt::format("must be less than or equal to {} (the number of specified completions)", completions));
  }
  if (indexes != nullptr && number > total) {
    errors.Invalid(at, *count,
                   fmt::format("must be less than or equal to {} (the number of indexes in the specified "
                               "succeededIndexes field)",
                               total));
  }
}

}  // namespace

void ValidatePodFailurePolicy(const Json& spec, const FieldPath& path, FieldErrors& errors) {
  const Json& rules = spec["podFailurePolicy"]["rules"];
  const FieldPath rules_path = path / "rules";
  if (rules.size() > kRulesMax) errors.TooMany(rules_path, rules.size(), kRulesMax);
  for (size_t i = 0; i < rules.size(); ++i) ValidateFailureRule(rules[i], spec, rules_path[i], errors);
}

void ValidateSuccessPolicy(const Json& spec, const FieldPath& path, FieldErrors& errors) {
  const Json& rules = spec["successPolicy"]["rules"];
  const FieldPath rules_path = path / "rules";
  if (rules.empty()) {
    errors.Required(rules_path, "at least one rules must be specified when the successPolicy is specified");
  }
  if (rules.size() > kRulesMax) errors.TooMany(rules_path, rules.size(), kRulesMax);
  const int64_t completions = spec["completions"].IntOr(0);
  for (size_t i = 0; i < rules.size(); ++i) ValidateSuccessRule(rules[i], completions, rules_path[i], errors);
}

}  // namespace berth::server
