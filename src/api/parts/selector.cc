// SPDX-License-Identifier: Apache-2.0
#include "api/parts/selector.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

#include "api/document/field_error.h"
#include "api/parts/requirement.h"
#include "base/error_counts.h"

namespace berth::api {
namespace {

using Op = Selector::Op;

std::string ToText(const Selector::Requirement& requirement) {
  const std::string& key = requirement.key;
  const std::string values = fmt::format("{}", fmt::join(requirement.values, ","));
  if (requirement.is_equality) return fmt::format("{}={}", key, values);
  switch (requirement.op) {
    case Op::kIn: return fmt::format("{} in ({})", key, values);
    case Op::kNotIn: return fmt::format("{} notin ({})", key, values);
    case Op::kExists: return key;
    case Op::kDoesNotExist: return "!" + key;
    case Op::kGt: return fmt::format("{}>{}", key, values);
    case Op::kLt: return fmt::format("{}<{}", key, values);
  }
  return key;
}

Selector::Requirement Equality(const Labels::Entry& label) {
  return {.key = label.first, .op = Op::kIn, .values = {label.second}, .is_equality = true};
}

}  // namespace

Selector Selector::Nothing() {
  Selector selector;
  selector.nothing_ = true;
  return selector;
}

Selector Selector::FromLabels(const Labels& labels) {
  Selector selector;
  for (const Labels::Entry& label : labels) selector.requirements_.push_back(Equality(label));
  return selector;
}

Result<Selector> Selector::Compile(const std::optional<LabelSelector>& written) {
  if (!written) return Nothing();
  std::vector<std::string> errors;
  for (const auto& [key, value] : written->match_labels) {
    CompileRequirement({key, "In", {value}}, Op::kIn, "", errors);
    if (!errors.empty()) return Invalid(JoinErrors(errors));
  }
  Selector selector = FromLabels(written->match_labels);
  for (const SelectorRequirement& expression : written->match_expressions) {
    const std::optional<Op> op = ParseSelectorOp(expression.op);
    if (!op || op == Op::kGt || op == Op::kLt) {
      return Invalid(fmt::format("{} is not a valid label selector operator", GoQuote(expression.op)));
    }
    Requirement requirement = CompileRequirement(expression, *op, "", errors);
    if (!errors.empty()) return Invalid(JoinErrors(errors));
    selector.Add(std::move(requirement));
  }
  return selector;
}

void Selector::Add(Requirement requirement) {
  const auto after = std::upper_bound(requirements_.begin(), requirements_.end(), requirement.key,
                                      [](const std::string& key, const Requirement& other) { return key < other.key; });
  requirements_.insert(after, std::move(requirement));
}

bool Selector::Matches(const Labels& labels) const {
  return !nothing_ && std::all_of(requirements_.begin(), requirements_.end(),
                                  [&](const Requirement& requirement) { return requirement.Matches(labels); });
}

std::string Selector::ToString() const {
  std::string text;
  for (const Requirement& requirement : requirements_) {
    if (!text.empty()) text += ',';
    text += ToText(requirement);
  }
  return text;
}

}  // namespace berth::api
