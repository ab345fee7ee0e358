// SPDX-License-Identifier: Apache-2.0
#include "server/model/label_selector.h"

namespace berth::server {
namespace {

void ValidateLabelKey(const std::string& key, const FieldPath& path, FieldErrors& errors) {
  for (const std::string& detail : api::ValidateQualifiedName(key)) errors.Invalid(path, key, detail);
}

void ValidateExpression(const Json& expression, const FieldPath& path, FieldErrors& errors) {
  const std::string& op = expression["operator"].text();
  const Json& values = expression["values"];
  if (op == "In" || op == "NotIn") {
    if (values.empty()) errors.Required(path / "values", "must be specified when `operator` is 'In' or 'NotIn'");
  } else if (op == "Exists" || op == "DoesNotExist") {
    if (!values.empty()) {
      errors.Forbidden(path / "values", "may not be specified when `operator` is 'Exists' or 'DoesNotExist'");
    }
  } else {
    errors.Invalid(path / "operator", op, "not a valid selector operator");
  }
  ValidateLabelKey(expression["key"].text(), path / "key", errors);
  const FieldPath values_path = path / "values";
  for (size_t i = 0; i < values.size(); ++i) {
    for (const std::string& detail : api::ValidateLabelValue(values[i].text())) {
      errors.Invalid(values_path[i], values[i].text(), detail);
    }
  }
}

}  // namespace

std::optional<api::LabelSelector> ReadLabelSelector(const Json& selector) {
  if (!selector.is_map()) return std::nullopt;
  api::LabelSelector read;
  for (const auto& [key, value] : selector["matchLabels"].members()) read.match_labels.Set(key, value.text());
  for (const Json& expression : selector["matchExpressions"].items()) {
    api::SelectorRequirement& requirement = read.match_expressions.emplace_back();
    requirement.key = expression["key"].text();
    requirement.op = expression["operator"].text();
    for (const Json& value : expression["values"].items()) requirement.values.push_back(value.text());
  }
  return read;
}

void ValidateLabelSelector(const Json& selector, const FieldPath& path, FieldErrors& errors) {
  ValidateLabels(selector["matchLabels"], path / "matchLabels", errors);
  const Json& expressions = selector["matchExpressions"];
  const FieldPath expressions_path = path / "matchExpressions";
  for (size_t i = 0; i < expressions.size(); ++i) ValidateExpression(expressions[i], expressions_path[i], errors);
}

void ValidateLabels(const Json& labels, const FieldPath& path, FieldErrors& errors) {
  for (const auto& [key, value] : labels.members()) {
    ValidateLabelKey(key, path, errors);
    for (const std::string& detail : api::ValidateLabelValue(value.text())) errors.Invalid(path, value.text(), detail);
  }
}

}  // namespace berth::server
