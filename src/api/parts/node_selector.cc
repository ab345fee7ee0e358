// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>

#include "api/document/field_error.h"
#include "api/parts/requirement.h"
#include "api/parts/selector.h"
#include "base/error_counts.h"

namespace berth::api {
namespace {

using Op = Selector::Op;

constexpr std::string_view kNameField = "metadata.name";

Selector CompileExpressions(const std::vector<SelectorRequirement>& written, const std::string& path,
                            std::vector<std::string>& errors) {
  Selector selector;
  for (size_t i = 0; i < written.size(); ++i) {
    const std::string at = fmt::format("{}[{}]", path, i);
    if (const std::optional<Op> op = ParseSelectorOp(written[i].op)) {
      selector.Add(CompileRequirement(written[i], *op, at, errors));
    } else {
      errors.push_back(
          UnsupportedField(at + ".operator", written[i].op, {"In", "NotIn", "Exists", "DoesNotExist", "Gt", "Lt"}));
    }
  }
  return selector;
}

std::vector<Selector::Requirement> CompileFields(const std::vector<SelectorRequirement>& written,
                                                 const std::string& path, std::vector<std::string>& errors) {
  std::vector<Selector::Requirement> fields;
  for (size_t i = 0; i < written.size(); ++i) {
    const auto& [key, op, values] = written[i];
    if (op != "In" && op != "NotIn") {
      errors.push_back(UnsupportedField(fmt::format("{}[{}].operator", path, i), op, {"In", "NotIn"}));
    } else if (values.size() != 1) {
      errors.push_back(InvalidField(fmt::format("{}[{}].values", path, i), values, "must have one element"));
    } else {
      fields.push_back({.key = key, .op = op == "In" ? Op::kIn : Op::kNotIn, .values = values});
    }
  }
  return fields;
}

// A node has no field but its name; upstream takes any other as present and empty.
bool FieldMatches(const Selector::Requirement& field, std::string_view node_name) {
  const std::string_view value = field.key == kNameField ? node_name : std::string_view();
  return (value == field.values.front()) == (field.op == Op::kIn);
}

}  // namespace

NodeTerm NodeTerm::Compile(const NodeSelectorTerm& written, const std::string& path, std::vector<std::string>& errors) {
  NodeTerm term;
  term.nothing_ = written.match_expressions.empty() && written.match_fields.empty();
  term.labels_ = CompileExpressions(written.match_expressions, ChildPath(path, "matchExpressions"), errors);
  term.fields_ = CompileFields(written.match_fields, ChildPath(path, "matchFields"), errors);
  return term;
}

Result<NodeTerm> NodeTerm::Compile(const NodeSelectorTerm& written, const std::string& path) {
  std::vector<std::string> errors;
  NodeTerm term = Compile(written, path, errors);
  if (!errors.empty()) return Invalid(JoinErrors(errors));
  return term;
}

bool NodeTerm::Matches(const Labels& labels, std::string_view node_name) const {
  if (nothing_ || !labels_.Matches(labels)) return false;
  // Upstream does not look at fields of a node without a name.
  return node_name.empty() || std::all_of(fields_.begin(), fields_.end(), [&](const Selector::Requirement& field) {
           return FieldMatches(field, node_name);
         });
}

NodeSelectorMatcher::NodeSelectorMatcher(const NodeSelector& written) {
  std::vector<std::string> all_errors;
  for (size_t i = 0; i < written.terms.size(); ++i) {
    std::vector<std::string> errors;
    NodeTerm term = NodeTerm::Compile(written.terms[i], fmt::format("nodeSelectorTerms[{}]", i), errors);
    if (errors.empty()) {
      terms_.push_back({.compiled = std::move(term), .error = {}});
      continue;
    }
    terms_.push_back({.compiled = std::nullopt, .error = JoinErrors(errors)});
    all_errors.insert(all_errors.end(), errors.begin(), errors.end());
  }
  if (!all_errors.empty()) error_ = JoinErrors(all_errors);
}

Result<bool> NodeSelectorMatcher::Match(const Labels& labels, std::string_view node_name) const {
  if (Matches(labels, node_name)) return true;
  if (!error_.empty()) return Invalid(error_);
  return false;
}

bool NodeSelectorMatcher::Matches(const Labels& labels, std::string_view node_name) const {
  return std::any_of(terms_.begin(), terms_.end(),
                     [&](const Term& term) { return term.compiled && term.compiled->Matches(labels, node_name); });
}

bool NodeSelectorMatcher::DependsOn(std::string_view key) const {
  if (has_field_terms()) return true;
  return std::any_of(terms_.begin(), terms_.end(), [&](const Term& term) {
    if (!term.compiled) return false;
    const auto& requirements = term.compiled->labels().requirements();
    return std::any_of(requirements.begin(), requirements.end(),
                       [&](const Selector::Requirement& requirement) { return requirement.key == key; });
  });
}

bool NodeSelectorMatcher::has_field_terms() const {
  return std::any_of(terms_.begin(), terms_.end(),
                     [](const Term& term) { return term.compiled && !term.compiled->fields().empty(); });
}

}  // namespace berth::api
