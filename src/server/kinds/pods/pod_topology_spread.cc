// SPDX-License-Identifier: Apache-2.0
// Topology spread constraints, and matchLabelKeys, which they share with affinity.
#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

#include "server/kinds/pods/pod_affinity.h"
#include "server/model/checks.h"
#include "server/model/label_selector.h"

namespace berth::server {
namespace {

bool Has(const Json& list, std::string_view text) {
  return std::ranges::any_of(list.items(), [&](const Json& item) { return item.text() == text; });
}

void ValidateKeys(const Json& keys, bool has_selector, const FieldPath& path, FieldErrors& errors) {
  if (keys.empty()) return;
  if (!has_selector) return errors.Forbidden(path, "must not be specified when labelSelector is not set");
  for (size_t i = 0; i < keys.size(); ++i) CheckQualifiedName(errors, path[i], keys[i].text());
}

// The selector already has what the keys were replaced by, so a key that it has twice was also written by the user.
void ValidateKeysOfSelector(const Json& keys, const Json& selector, const FieldPath& path, FieldErrors& errors) {
  std::vector<std::string_view> seen;
  for (const Json::Member& label : selector["matchLabels"].members()) seen.push_back(label.name);
  for (const Json& expression : selector["matchExpressions"].items()) {
    const std::string& key = expression["key"].text();
    const Json::List& all = keys.items();
    const auto last = std::find_if(all.rbegin(), all.rend(), [&](const Json& item) { return item.text() == key; });
    if (last != all.rend() && std::ranges::find(seen, key) != seen.end()) {
      const auto index = static_cast<size_t>(all.rend() - last - 1);
      errors.Invalid(path[index], key, "exists in both matchLabelKeys and labelSelector");
    }
    seen.push_back(key);
  }
}

void ValidateMinDomains(const Json& constraint, const FieldPath& path, FieldErrors& errors) {
  const Json* domains = constraint.Find("minDomains");
  if (domains == nullptr) return;
  if (domains->IntOr(0) <= 0) errors.Invalid(path, *domains, "must be greater than zero");
  const std::string& action = constraint["whenUnsatisfiable"].text();
  if (action != "DoNotSchedule") {
    errors.Invalid(path, *domains,
                   fmt::format("can only use minDomains if whenUnsatisfiable=DoNotSchedule, not {}", action));
  }
}

// A pair of topology and action may occur once.
void ValidateNotRepeated(const Json& constraints, size_t index, const FieldPath& path, FieldErrors& errors) {
  const std::string& key = constraints[index]["topologyKey"].text();
  const std::string& action = constraints[index]["whenUnsatisfiable"].text();
  for (size_t i = index + 1; i < constraints.size(); ++i) {
    if (constraints[i]["topologyKey"].text() != key || constraints[i]["whenUnsatisfiable"].text() != action) continue;
    return errors.Duplicate(path / "{topologyKey, whenUnsatisfiable}", fmt::format("{{{}, {}}}", key, action));
  }
}

void AddExpressions(Json& term, std::string_view keys, std::string_view op, const Json& labels) {
  for (const Json& key : term[keys].items()) {
    const Json* value = labels.Find(key.text());
    if (value == nullptr) continue;
    Json expression{{"key", key}, {"operator", Json::String(op)}, {"values", Json::MakeList({*value})}};
    term.Make({"labelSelector", "matchExpressions"}).Append(std::move(expression));
  }
}

void ApplyTo(Json* term, const Json& labels) {
  if (term == nullptr || !term->Has("labelSelector")) return;
  AddExpressions(*term, "matchLabelKeys", "In", labels);
  AddExpressions(*term, "mismatchLabelKeys", "NotIn", labels);
}

void ApplyToPodAffinity(Json* affinity, const Json& labels) {
  if (affinity == nullptr) return;
  if (Json* preferred = affinity->Find("preferredDuringSchedulingIgnoredDuringExecution")) {
    for (Json& term : preferred->mutable_items()) ApplyTo(term.Find("podAffinityTerm"), labels);
  }
  if (Json* required = affinity->Find("requiredDuringSchedulingIgnoredDuringExecution")) {
    for (Json& term : required->mutable_items()) ApplyTo(&term, labels);
  }
}

}  // namespace

void ValidateMatchLabelKeys(const Json& term, const FieldPath& path, FieldErrors& errors) {
  const Json& keys = term["matchLabelKeys"];
  const Json& other_keys = term["mismatchLabelKeys"];
  if (keys.empty() && other_keys.empty()) return;
  const FieldPath keys_path = path / "matchLabelKeys";
  const Json* selector = term.Find("labelSelector");
  ValidateKeys(keys, selector != nullptr, keys_path, errors);
  ValidateKeys(other_keys, selector != nullptr, path / "mismatchLabelKeys", errors);
  if (selector != nullptr) ValidateKeysOfSelector(keys, *selector, path, errors);
  for (size_t i = 0; i < keys.size(); ++i) {
    if (!Has(other_keys, keys[i].text())) continue;
    errors.Invalid(keys_path[i], keys[i], "exists in both matchLabelKeys and mismatchLabelKeys");
  }
}

void ValidateTopologySpread(const Json& constraints, const FieldPath& path, FieldErrors& errors) {
  for (size_t i = 0; i < constraints.size(); ++i) {
    const Json& constraint = constraints[i];
    const FieldPath at = path[i];
    const int64_t skew = constraint["maxSkew"].IntOr(0);
    if (skew <= 0) errors.Invalid(at / "maxSkew", Json::Int(skew), "must be greater than zero");
    if (constraint["topologyKey"].text().empty()) errors.Required(at / "topologyKey", "can not be empty");
    CheckOneOf(errors, at / "whenUnsatisfiable", constraint["whenUnsatisfiable"].text(),
               {"DoNotSchedule", "ScheduleAnyway"});
    ValidateNotRepeated(constraints, i, at, errors);
    ValidateMinDomains(constraint, at / "minDomains", errors);
    CheckMemberOneOf(errors, at, constraint, "nodeAffinityPolicy", {"Honor", "Ignore"});
    CheckMemberOneOf(errors, at, constraint, "nodeTaintsPolicy", {"Honor", "Ignore"});
    ValidateMatchLabelKeys(constraint, at, errors);
    ValidateLabelSelector(constraint["labelSelector"], at / "labelSelector", errors);
  }
}

void ApplyMatchLabelKeys(Json& pod) {
  Json* spec = pod.Find("spec");
  if (spec == nullptr) return;
  Json* affinity = spec->Find("affinity");
  Json* constraints = spec->Find("topologySpreadConstraints");
  if (affinity == nullptr && constraints == nullptr) return;
  const Json labels = pod["metadata"]["labels"];
  if (affinity != nullptr) {
    ApplyToPodAffinity(affinity->Find("podAffinity"), labels);
    ApplyToPodAffinity(affinity->Find("podAntiAffinity"), labels);
  }
  if (constraints == nullptr) return;
  for (Json& constraint : constraints->mutable_items()) ApplyTo(&constraint, labels);
}

}  // namespace berth::server
