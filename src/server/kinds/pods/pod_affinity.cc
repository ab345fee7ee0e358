// SPDX-License-Identifier: Apache-2.0
#include "server/kinds/pods/pod_affinity.h"

#include <string>

#include "api/parts/selector.h"
#include "server/model/checks.h"
#include "server/model/label_selector.h"

namespace berth::server {
namespace {

constexpr std::string_view kRequired = "requiredDuringSchedulingIgnoredDuringExecution";
constexpr std::string_view kPreferred = "preferredDuringSchedulingIgnoredDuringExecution";

void ValidateExpression(const Json& expression, bool checks_values, const FieldPath& path, FieldErrors& errors) {
  const std::string& op = expression["operator"].text();
  const Json& values = expression["values"];
  if (op == "In" || op == "NotIn") {
    if (values.empty()) errors.Required(path / "values", "must be specified when `operator` is 'In' or 'NotIn'");
  } else if (op == "Exists" || op == "DoesNotExist") {
    if (!values.empty()) {
      errors.Forbidden(path / "values", "may not be specified when `operator` is 'Exists' or 'DoesNotExist'");
    }
  } else if (op == "Gt" || op == "Lt") {
    if (values.size() != 1) {
      errors.Required(path / "values", "must be specified single value when `operator` is 'Lt' or 'Gt'");
    }
  } else {
    errors.Invalid(path / "operator", op, "not a valid selector operator");
  }
  CheckQualifiedName(errors, path / "key", expression["key"].text());
  if (!checks_values) return;
  const FieldPath values_path = path / "values";
  for (size_t i = 0; i < values.size(); ++i) {
    Report(errors, values_path[i], values[i].text(), api::ValidateLabelValue(values[i].text()));
  }
}

void ValidateFieldExpression(const Json& expression, const FieldPath& path, FieldErrors& errors) {
  const std::string& op = expression["operator"].text();
  const std::string& key = expression["key"].text();
  const Json& values = expression["values"];
  if (op != "In" && op != "NotIn") {
    errors.Invalid(path / "operator", op, "not a valid selector operator");
  } else if (values.size() != 1) {
    errors.Required(path / "values",
                    "must be only one value when `operator` is 'In' or 'NotIn' for node field selector");
  }
  if (key != "metadata.name") return errors.Invalid(path / "key", key, "not a valid field selector key");
  const FieldPath values_path = path / "values";
  for (size_t i = 0; i < values.size(); ++i) {
    Report(errors, values_path[i], values[i].text(), api::ValidateDnsSubdomain(values[i].text()));
  }
}

void ValidateNodeTerm(const Json& term, bool checks_values, const FieldPath& path, FieldErrors& errors) {
  const FieldPath expressions_path = path / "matchExpressions";
  const Json& expressions = term["matchExpressions"];
  for (size_t i = 0; i < expressions.size(); ++i) {
    ValidateExpression(expressions[i], checks_values, expressions_path[i], errors);
  }
  const FieldPath fields_path = path / "matchFields";
  const Json& fields = term["matchFields"];
  for (size_t i = 0; i < fields.size(); ++i) ValidateFieldExpression(fields[i], fields_path[i], errors);
}

void ValidateWeight(const Json& term, const FieldPath& path, FieldErrors& errors) {
  const int64_t weight = term["weight"].IntOr(0);
  if (weight <= 0 || weight > 100) {
    errors.Invalid(path / "weight", Json::Int(weight), "must be in the range 1-100");
  }
}

void ValidateNodeAffinity(const Json& affinity, const FieldPath& path, FieldErrors& errors) {
  if (const Json* required = affinity.Find(kRequired)) {
    ValidateNodeSelectorTerms(*required, path / kRequired, errors);
  }
  const FieldPath preferred_path = path / kPreferred;
  const Json& preferred = affinity[kPreferred];
  for (size_t i = 0; i < preferred.size(); ++i) {
    const FieldPath at = preferred_path[i];
    ValidateWeight(preferred[i], at, errors);
    ValidateNodeTerm(preferred[i]["preference"], false, at / "preference", errors);
  }
}

void ValidatePodTerm(const Json& term, const FieldPath& path, FieldErrors& errors) {
  ValidateLabelSelector(term["labelSelector"], path / "labelSelector", errors);
  ValidateLabelSelector(term["namespaceSelector"], path / "namespaceSelector", errors);
  for (const Json& ns : term["namespaces"].items()) {
    Report(errors, path / "namespace", ns.text(), CheckDnsLabel(ns.text()));
  }
  ValidateMatchLabelKeys(term, path, errors);
  const std::string& key = term["topologyKey"].text();
  if (key.empty()) errors.Required(path / "topologyKey", "can not be empty");
  CheckQualifiedName(errors, path / "topologyKey", key);
}

void ValidatePodAffinity(const Json& affinity, const FieldPath& path, FieldErrors& errors) {
  const FieldPath required_path = path / kRequired;
  const Json& required = affinity[kRequired];
  for (size_t i = 0; i < required.size(); ++i) ValidatePodTerm(required[i], required_path[i], errors);
  const FieldPath preferred_path = path / kPreferred;
  const Json& preferred = affinity[kPreferred];
  for (size_t i = 0; i < preferred.size(); ++i) {
    const FieldPath at = preferred_path[i];
    ValidateWeight(preferred[i], at, errors);
    ValidatePodTerm(preferred[i]["podAffinityTerm"], at / "podAffinityTerm", errors);
  }
}

}  // namespace

void ValidateNodeSelectorTerms(const Json& selector, const FieldPath& path, FieldErrors& errors) {
  const FieldPath terms_path = path / "nodeSelectorTerms";
  const Json& terms = selector["nodeSelectorTerms"];
  if (terms.empty()) errors.Required(terms_path, "must have at least one node selector term");
  for (size_t i = 0; i < terms.size(); ++i) ValidateNodeTerm(terms[i], true, terms_path[i], errors);
}

void ValidateAffinity(const Json& affinity, const FieldPath& path, FieldErrors& errors) {
  if (affinity.empty()) return;
  ValidateNodeAffinity(affinity["nodeAffinity"], path / "nodeAffinity", errors);
  ValidatePodAffinity(affinity["podAffinity"], path / "podAffinity", errors);
  ValidatePodAffinity(affinity["podAntiAffinity"], path / "podAntiAffinity", errors);
}

}  // namespace berth::server
