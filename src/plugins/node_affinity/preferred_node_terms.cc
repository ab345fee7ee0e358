// SPDX-License-Identifier: Apache-2.0
#include "plugins/node_affinity/preferred_node_terms.h"

#include <fmt/format.h>

#include <algorithm>

#include "api/document/field_error.h"
#include "base/error_counts.h"
#include "cluster/node_table.h"

namespace berth::plugins {

Result<PreferredNodeTerms> PreferredNodeTerms::Compile(const std::vector<api::PreferredSchedulingTerm>& written) {
  PreferredNodeTerms preferred;
  std::vector<std::string> errors;
  for (size_t i = 0; i < written.size(); ++i) {
    const auto& [weight, preference] = written[i];
    if (weight == 0 || (preference.match_expressions.empty() && preference.match_fields.empty())) continue;
    preferred.terms_.push_back({weight, api::NodeTerm::Compile(preference, fmt::format("[{}]", i), errors)});
  }
  if (!errors.empty()) return Invalid(JoinErrors(errors));
  return preferred;
}

int64_t PreferredNodeTerms::Score(const api::Labels& labels, std::string_view node_name) const {
  int64_t score = 0;
  for (const auto& [weight, term] : terms_) {
    if (term.Matches(labels, node_name)) score += weight;
  }
  return score;
}

bool PreferredNodeTerms::tells_nodes_apart() const {
  return std::any_of(terms_.begin(), terms_.end(), [](const Term& preferred) {
    const std::vector<api::Selector::Requirement>& labels = preferred.term.labels().requirements();
    return !preferred.term.fields().empty() ||
           std::any_of(labels.begin(), labels.end(), [](const api::Selector::Requirement& requirement) {
             return requirement.key == cluster::kHostnameLabel;
           });
  });
}

}  // namespace berth::plugins
