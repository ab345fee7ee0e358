// SPDX-License-Identifier: Apache-2.0
#include "framework/args/core_objects.h"

#include <fmt/format.h>

#include "api/parts/requirement.h"
#include "framework/args/field_errors.h"

namespace berth::framework {

void Decode(StrictDecoder& decoder, api::Value value, api::SelectorRequirement& out) {
  static constexpr Field<api::SelectorRequirement> kFields[] = {
      Into<&api::SelectorRequirement::key>("key"),
      Into<&api::SelectorRequirement::op>("operator"),
      Into<&api::SelectorRequirement::values>("values"),
  };
  decoder.Object<api::SelectorRequirement>(value, out, kFields);
}

void Decode(StrictDecoder& decoder, api::Value value, api::LabelSelector& out) {
  static constexpr Field<api::LabelSelector> kFields[] = {
      Into<&api::LabelSelector::match_labels>("matchLabels"),
      Into<&api::LabelSelector::match_expressions>("matchExpressions"),
  };
  decoder.Object<api::LabelSelector>(value, out, kFields);
}

void Decode(StrictDecoder& decoder, api::Value value, api::NodeSelectorTerm& out) {
  static constexpr Field<api::NodeSelectorTerm> kFields[] = {
      Into<&api::NodeSelectorTerm::match_expressions>("matchExpressions"),
      Into<&api::NodeSelectorTerm::match_fields>("matchFields"),
  };
  decoder.Object<api::NodeSelectorTerm>(value, out, kFields);
}

void Decode(StrictDecoder& decoder, api::Value value, api::NodeSelector& out) {
  static constexpr Field<api::NodeSelector> kFields[] = {Into<&api::NodeSelector::terms>("nodeSelectorTerms")};
  decoder.Object<api::NodeSelector>(value, out, kFields);
}

void Decode(StrictDecoder& decoder, api::Value value, api::PreferredSchedulingTerm& out) {
  static constexpr Field<api::PreferredSchedulingTerm> kFields[] = {
      Into<&api::PreferredSchedulingTerm::weight>("weight"),
      Into<&api::PreferredSchedulingTerm::preference>("preference"),
  };
  decoder.Object<api::PreferredSchedulingTerm>(value, out, kFields);
}

void Decode(StrictDecoder& decoder, api::Value value, api::NodeAffinity& out) {
  static constexpr Field<api::NodeAffinity> kFields[] = {
      Into<&api::NodeAffinity::required>("requiredDuringSchedulingIgnoredDuringExecution"),
      Into<&api::NodeAffinity::preferred>("preferredDuringSchedulingIgnoredDuringExecution"),
  };
  decoder.Object<api::NodeAffinity>(value, out, kFields);
}

void Decode(StrictDecoder& decoder, api::Value value, api::TopologySpreadConstraint& out) {
  using Constraint = api::TopologySpreadConstraint;
  static constexpr Field<Constraint> kFields[] = {
      Into<&Constraint::max_skew>("maxSkew"),
      Into<&Constraint::topology_key>("topologyKey"),
      Into<&Constraint::when_unsatisfiable>("whenUnsatisfiable"),
      Into<&Constraint::label_selector>("labelSelector"),
      Into<&Constraint::min_domains>("minDomains"),
      Into<&Constraint::node_affinity_policy>("nodeAffinityPolicy"),
      Into<&Constraint::node_taints_policy>("nodeTaintsPolicy"),
      Into<&Constraint::match_label_keys>("matchLabelKeys"),
  };
  decoder.Object<Constraint>(value, out, kFields);
}

namespace {

// The list of values as an error prints it: an empty list that was written differs from an absent one.
std::string ValuesText(const api::SelectorRequirement& requirement, api::Value written) {
  if (requirement.values.empty()) return written["values"].is_list() ? "[]" : "null";
  std::string text;
  for (const std::string& value : requirement.values) text += (text.empty() ? "[" : ",") + JsonString(value);
  return text + "]";
}

void CheckExpression(const api::SelectorRequirement& requirement, api::Value written, const std::string& path,
                     FieldErrors& errors) {
  const std::optional<api::Selector::Op> op = api::ParseSelectorOp(requirement.op);
  if (!op) {
    return errors.NotSupported(path + ".operator", JsonString(requirement.op),
                               {"In", "NotIn", "Exists", "DoesNotExist", "Gt", "Lt"});
  }
  std::vector<std::string> found;
  api::CompileRequirement(requirement, *op, path, found);
  const std::string no_values = path + ".values: Invalid value: null: ";
  for (std::string& error : found) {
    if (error.starts_with(no_values)) {
      error.replace(no_values.size() - 6, 4, ValuesText(requirement, written));
    }
    errors.Add(std::move(error));
  }
}

void CheckField(const api::SelectorRequirement& requirement, api::Value written, const std::string& path,
                FieldErrors& errors) {
  if (requirement.op != "In" && requirement.op != "NotIn") {
    errors.NotSupported(path + ".operator", JsonString(requirement.op), {"In", "NotIn"});
  } else if (requirement.values.size() != 1) {
    errors.Invalid(path + ".values", ValuesText(requirement, written), "must have one element");
  }
}

void CheckTerm(const api::NodeSelectorTerm& term, api::Value written, const std::string& path, FieldErrors& errors) {
  for (size_t i = 0; i < term.match_expressions.size(); ++i) {
    CheckExpression(term.match_expressions[i], written["matchExpressions"][i], Index(path + ".matchExpressions", i),
                    errors);
  }
  for (size_t i = 0; i < term.match_fields.size(); ++i) {
    CheckField(term.match_fields[i], written["matchFields"][i], Index(path + ".matchFields", i), errors);
  }
}

}  // namespace

std::vector<std::string> AffinitySelectorErrors(const api::NodeAffinity& affinity, api::Value written) {
  constexpr std::string_view kRequired = "requiredDuringSchedulingIgnoredDuringExecution";
  constexpr std::string_view kPreferred = "preferredDuringSchedulingIgnoredDuringExecution";
  FieldErrors errors;
  if (affinity.required) {
    const std::vector<api::NodeSelectorTerm>& terms = affinity.required->terms;
    for (size_t i = 0; i < terms.size(); ++i) {
      CheckTerm(terms[i], written[kRequired]["nodeSelectorTerms"][i],
                fmt::format(".{}.nodeSelectorTerms[{}]", kRequired, i), errors);
    }
  }
  if (affinity.preferred) {
    for (size_t i = 0; i < affinity.preferred->size(); ++i) {
      const api::PreferredSchedulingTerm& term = (*affinity.preferred)[i];
      if (term.weight == 0) continue;
      // Upstream's path leaves `preference` out.
      CheckTerm(term.preference, written[kPreferred][i]["preference"], fmt::format(".{}[{}]", kPreferred, i), errors);
    }
  }
  return errors.messages();
}

}  // namespace berth::framework
