// SPDX-License-Identifier: Apache-2.0
#include "server/policies/policy_checks.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "api/parts/selector.h"
#include "base/ascii.h"
#include "base/text.h"
#include "cel/declared_type.h"
#include "server/model/checks.h"
#include "server/model/label_selector.h"
#include "server/model/path_segment.h"
#include "server/model/strategy.h"
#include "server/policies/match_checks.h"
#include "server/policies/policy_run.h"

namespace berth::server {
namespace {

// Upstream has no such bound; compiling them is work that no cost covers.
constexpr size_t kExpressionBytesMax = size_t{256} << 10;

bool IsIdentifier(std::string_view name) {
  const auto fits = [](char c) { return IsAlphanumeric(c) || c == '_'; };
  return !name.empty() && !(name[0] >= '0' && name[0] <= '9') && std::ranges::all_of(name, fits) &&
         !cel::IsReservedName(name);
}

// Calls `visit` with the text of each expression of a policy.
template <class Visit>
void VisitExpressions(const Json& policy, Visit visit) {
  const Json& spec = policy["spec"];
  for (const char* const list : {"validations", "matchConditions", "variables", "auditAnnotations"}) {
    for (const Json& item : spec[list].items()) {
      for (const char* const name : {"expression", "messageExpression", "valueExpression"}) visit(item[name].text());
    }
  }
  for (const Json& mutation : spec["mutations"].items()) {
    for (const char* const name : {"applyConfiguration", "jsonPatch"}) visit(mutation[name]["expression"].text());
  }
}

// The texts of expressions in the policy as it was, which may use all that is known.
ExpressionTexts ExpressionsOf(const Json* policy) {
  ExpressionTexts known;
  if (policy != nullptr) VisitExpressions(*policy, [&](const std::string& text) { known.insert(text); });
  return known;
}

void DefaultMatchOf(Json& spec, std::string_view name) {
  if (Json* const match = spec.Find(name); match != nullptr && match->is_map()) DefaultMatch(*match);
}

void CheckReference(const Json& reference, const FieldPath& path, FieldErrors& errors) {
  const std::string& name = reference["name"].text();
  const bool has_selector = reference["selector"].is_map();
  constexpr std::string_view kBoth = "name and selector are mutually exclusive";
  if (!name.empty()) {
    Report(errors, path / "name", name, CheckPathSegment(name));
    if (has_selector) errors.Forbidden(path / "name", kBoth);
  }
  if (has_selector) {
    ValidateLabelSelector(reference["selector"], path / "selector", errors);
    if (!name.empty()) errors.Forbidden(path / "selector", kBoth);
  }
  if (name.empty() && !has_selector) errors.Required(path, "one of name or selector must be specified");
  const std::string& action = reference["parameterNotFoundAction"].text();
  if (action.empty()) {
    errors.Required(path / "parameterNotFoundAction");
  } else {
    CheckOneOf(errors, path / "parameterNotFoundAction", action, {"Deny", "Allow"});
  }
}

void CheckFailurePolicy(const Json& spec, FieldErrors& errors) {
  const FieldPath path = kSpec / "failurePolicy";
  if (spec["failurePolicy"].is_null()) return errors.Required(path);
  CheckOneOf(errors, path, spec["failurePolicy"].text(), {"Fail", "Ignore"});
}

void CheckParamKind(const Json& kind, const FieldPath& path, FieldErrors& errors) {
  const std::string& version = kind["apiVersion"].text();
  const FieldPath version_path = path / "apiVersion";
  const size_t slash = version.find('/');
  if (version.empty()) {
    errors.Required(version_path);
  } else if (slash != std::string::npos && version.find('/', slash + 1) != std::string::npos) {
    errors.Invalid(version_path, version, "unexpected GroupVersion string: " + version);
  } else {
    const std::string group = slash == std::string::npos ? "" : version.substr(0, slash);
    const std::string name = slash == std::string::npos ? version : version.substr(slash + 1);
    if (!group.empty()) {
      const Problems problems = api::ValidateDnsSubdomain(group);
      if (!problems.empty()) errors.Invalid(version_path, group, fmt::format("{}", fmt::join(problems, ",")));
    }
    if (name.empty()) {
      errors.Invalid(version_path, version, "version must be specified");
    } else if (const Problems problems = CheckDns1035Label(name); !problems.empty()) {
      errors.Invalid(version_path, name, fmt::format("{}", fmt::join(problems, ",")));
    }
  }
  const std::string& name = kind["kind"].text();
  if (name.empty()) return errors.Required(path / "kind");
  if (const Problems problems = CheckDns1035Label(Lower(name)); !problems.empty()) {
    errors.Invalid(path / "kind", name,
                   fmt::format("may have mixed case, but should otherwise match: {}", fmt::join(problems, ",")));
  }
}

// The constraints of a policy, which must have rules.
void CheckConstraints(const Json& match, const FieldPath& path, FieldErrors& errors) {
  if (!match.is_map()) return errors.Required(path);
  CheckMatch(match, path, errors);
  if (match["resourceRules"].empty()) errors.Required(path / "resourceRules");
}

}  // namespace

void DefaultPolicy(Json& policy) {
  Json& spec = policy.Make("spec");
  spec.SetDefault("failurePolicy", Json::String("Fail"));
  DefaultMatchOf(spec, "matchConstraints");
}

void DefaultBinding(Json& binding) {
  if (Json* const spec = binding.Find("spec"); spec != nullptr && spec->is_map()) {
    DefaultMatchOf(*spec, "matchResources");
  }
}

void CheckPolicySpec(const Json& spec, FieldErrors& errors) {
  CheckFailurePolicy(spec, errors);
  if (spec["paramKind"].is_map()) CheckParamKind(spec["paramKind"], kSpec / "paramKind", errors);
  CheckConstraints(spec["matchConstraints"], kSpec / "matchConstraints", errors);
}

void CheckBinding(const Json& spec, FieldErrors& errors) {
  const std::string& policy = spec["policyName"].text();
  if (policy.empty()) {
    errors.Required(kSpec / "policyName");
  } else {
    Report(errors, kSpec / "policyName", policy, api::ValidateDnsSubdomain(policy));
  }
  if (spec["paramRef"].is_map()) CheckReference(spec["paramRef"], kSpec / "paramRef", errors);
  CheckMatch(spec["matchResources"], kSpec / "matchResources", errors);
}

PolicyCheck::PolicyCheck(const Json& policy, const Json* old, FieldErrors& errors)
    : policy_(policy),
      spec_(policy["spec"]),
      old_(old),
      known_(ExpressionsOf(old)),
      compiler_(!spec_["variables"].empty(), spec_["paramKind"].is_map()),
      errors_(errors) {}

bool PolicyCheck::IsBounded() const {
  size_t bytes = 0;
  VisitExpressions(policy_, [&](const std::string& text) { bytes += text.size(); });
  if (bytes > kExpressionBytesMax) {
    errors_.Forbidden(
        kSpec, fmt::format("the expressions have {} bytes together, and may have {}", bytes, kExpressionBytesMax));
    return false;
  }
  // Each is known to all expressions behind it.
  const size_t count = spec_["variables"].size();
  if (count > PolicyScope::kVariablesMax) errors_.TooMany(kSpec / "variables", count, PolicyScope::kVariablesMax);
  return count <= PolicyScope::kVariablesMax;
}

void PolicyCheck::CheckMatchConditions(const FieldPath& path) {
  const Json& conditions = spec_["matchConditions"];
  // What stays as it was is not judged again, unless what it can refer to has changed.
  if (old_ != nullptr && (*old_)["spec"]["matchConditions"] == conditions &&
      (*old_)["spec"]["paramKind"] == spec_["paramKind"]) {
    return;
  }
  CheckConditions(conditions, spec_["paramKind"].is_map(), known_, path, errors_);
}

void PolicyCheck::CheckVariables(const FieldPath& path) {
  for (size_t i = 0; i < spec_["variables"].size(); ++i) {
    const Json& variable = spec_["variables"][i];
    const FieldPath at = path[i];
    const std::string& name = variable["name"].text();
    const std::string& text = variable["expression"].text();
    if (Trim(name).empty()) {
      errors_.Required(at / "name", "name is not specified");
    } else if (!IsIdentifier(name)) {
      errors_.Invalid(at / "name", name, "must be a valid CEL identifier");
    }
    if (Trim(text).empty()) {
      errors_.Required(at / "expression", "expression is not specified");
    } else {
      Add(compiler_.CompileVariable(name, text, known_.contains(text)), at / "expression");
    }
  }
}

}  // namespace berth::server
