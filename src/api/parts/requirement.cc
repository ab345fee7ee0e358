// SPDX-License-Identifier: Apache-2.0
#include "api/parts/requirement.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>

#include "api/document/field_error.h"

namespace berth::api {
namespace {

using Op = Selector::Op;

// An integer as Go's strconv.ParseInt reads it in base 10: signs and leading zeros are fine.
std::optional<int64_t> ParseInt(std::string_view text) {
  if (text.starts_with('+')) {
    text.remove_prefix(1);
    if (text.starts_with('-')) return std::nullopt;
  }
  int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

void CheckKey(std::string_view key, std::string_view path, std::vector<std::string>& errors) {
  const std::vector<std::string> reasons = ValidateQualifiedName(key);
  if (!reasons.empty()) {
    errors.push_back(InvalidField(ChildPath(path, "key"), key, fmt::format("{}", fmt::join(reasons, "; "))));
  }
}

// Checks the number of values, and for Gt and Lt that they are integers.
void CheckShape(Op op, const std::vector<std::string>& values, std::string_view path,
                std::vector<std::string>& errors) {
  const auto invalid = [&](std::string_view detail) {
    errors.push_back(InvalidField(ChildPath(path, "values"), values, detail));
  };
  switch (op) {
    case Op::kIn:
    case Op::kNotIn:
      if (values.empty()) invalid("for 'in', 'notin' operators, values set can't be empty");
      break;
    case Op::kExists:
    case Op::kDoesNotExist:
      if (!values.empty()) invalid("values set must be empty for exists and does not exist");
      break;
    case Op::kGt:
    case Op::kLt:
      if (values.size() != 1) invalid("for 'Gt', 'Lt' operators, exactly one value is required");
      for (size_t i = 0; i < values.size(); ++i) {
        if (ParseInt(values[i])) continue;
        errors.push_back(InvalidField(fmt::format("{}[{}]", ChildPath(path, "values"), i), values[i],
                                      "for 'Gt', 'Lt' operators, the value must be an integer"));
      }
  }
}

void CheckValues(const SelectorRequirement& written, std::string_view path, std::vector<std::string>& errors) {
  for (size_t i = 0; i < written.values.size(); ++i) {
    const std::vector<std::string> reasons = ValidateLabelValue(written.values[i]);
    if (reasons.empty()) continue;
    errors.push_back(InvalidField(fmt::format("{}[{}][{}]", ChildPath(path, "values"), i, written.key),
                                  written.values[i], fmt::format("{}", fmt::join(reasons, "; "))));
  }
}

}  // namespace

std::optional<Op> ParseSelectorOp(std::string_view name) {
  if (name == "In") return Op::kIn;
  if (name == "NotIn") return Op::kNotIn;
  if (name == "Exists") return Op::kExists;
  if (name == "DoesNotExist") return Op::kDoesNotExist;
  if (name == "Gt") return Op::kGt;
  if (name == "Lt") return Op::kLt;
  return std::nullopt;
}

Selector::Requirement CompileRequirement(const SelectorRequirement& written, Op op, std::string_view path,
                                         std::vector<std::string>& errors) {
  CheckKey(written.key, path, errors);
  CheckShape(op, written.values, path, errors);
  CheckValues(written, path, errors);

  Selector::Requirement requirement{.key = written.key, .op = op, .values = written.values};
  std::sort(requirement.values.begin(), requirement.values.end());
  if ((op == Op::kGt || op == Op::kLt) && !written.values.empty()) {
    requirement.bound = ParseInt(written.values.front()).value_or(0);
  }
  return requirement;
}

bool Selector::Requirement::Matches(const Labels& labels) const {
  const std::string* value = labels.Find(key);
  switch (op) {
    case Op::kIn: return value != nullptr && std::binary_search(values.begin(), values.end(), *value);
    case Op::kNotIn: return value == nullptr || !std::binary_search(values.begin(), values.end(), *value);
    case Op::kExists: return value != nullptr;
    case Op::kDoesNotExist: return value == nullptr;
    case Op::kGt:
    case Op::kLt: break;
  }
  if (value == nullptr) return false;
  const std::optional<int64_t> number = ParseInt(*value);
  return number && (op == Op::kGt ? *number > bound : *number < bound);
}

}  // namespace berth::api
