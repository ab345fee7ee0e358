// SPDX-License-Identifier: Apache-2.0
#include "framework/args/core_objects.h"

namespace berth::framework {
namespace {

void WriteStrings(std::string_view name, const std::vector<std::string>& texts, api::JsonWriter& json) {
  if (texts.empty()) return;
  json.Key(name).BeginArray();
  for (const std::string& text : texts) json.String(text);
  json.EndArray();
}

void WriteRequirements(std::string_view name, const std::vector<api::SelectorRequirement>& requirements,
                       api::JsonWriter& json) {
  if (requirements.empty()) return;
  json.Key(name).BeginArray();
  for (const api::SelectorRequirement& requirement : requirements) {
    json.BeginObject();
    json.Key("key").String(requirement.key);
    json.Key("operator").String(requirement.op);
    WriteStrings("values", requirement.values, json);
    json.EndObject();
  }
  json.EndArray();
}

void WriteTerm(const api::NodeSelectorTerm& term, api::JsonWriter& json) {
  json.BeginObject();
  WriteRequirements("matchExpressions", term.match_expressions, json);
  WriteRequirements("matchFields", term.match_fields, json);
  json.EndObject();
}

void WriteSelector(const api::LabelSelector& selector, api::JsonWriter& json) {
  json.BeginObject();
  if (!selector.match_labels.empty()) {
    json.Key("matchLabels").BeginObject();
    for (const auto& [key, value] : selector.match_labels) json.Key(key).String(value);
    json.EndObject();
  }
  WriteRequirements("matchExpressions", selector.match_expressions, json);
  json.EndObject();
}

}  // namespace

void WriteNodeAffinity(const api::NodeAffinity& affinity, api::JsonWriter& json) {
  json.BeginObject();
  if (affinity.required) {
    json.Key("requiredDuringSchedulingIgnoredDuringExecution").BeginObject();
    json.Key("nodeSelectorTerms").BeginArray();
    for (const api::NodeSelectorTerm& term : affinity.required->terms) WriteTerm(term, json);
    json.EndArray().EndObject();
  }
  if (affinity.preferred && !affinity.preferred->empty()) {
    json.Key("preferredDuringSchedulingIgnoredDuringExecution").BeginArray();
    for (const api::PreferredSchedulingTerm& term : *affinity.preferred) {
      json.BeginObject().Key("weight").Int(term.weight);
      WriteTerm(term.preference, json.Key("preference"));
      json.EndObject();
    }
    json.EndArray();
  }
  json.EndObject();
}

void WriteSpreadConstraint(const api::TopologySpreadConstraint& constraint, api::JsonWriter& json) {
  json.BeginObject();
  json.Key("maxSkew").Int(constraint.max_skew);
  json.Key("topologyKey").String(constraint.topology_key);
  json.Key("whenUnsatisfiable").String(constraint.when_unsatisfiable);
  if (constraint.label_selector) WriteSelector(*constraint.label_selector, json.Key("labelSelector"));
  if (constraint.min_domains) json.Key("minDomains").Int(*constraint.min_domains);
  json.Text("nodeAffinityPolicy", constraint.node_affinity_policy);
  json.Text("nodeTaintsPolicy", constraint.node_taints_policy);
  WriteStrings("matchLabelKeys", constraint.match_label_keys, json);
  json.EndObject();
}

}  // namespace berth::framework
