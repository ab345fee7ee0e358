// SPDX-License-Identifier: Apache-2.0
#include "server/policies/policy_kind.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>

#include "api/parts/selector.h"
#include "base/ascii.h"
#include "cel/declared_type.h"
#include "server/model/checks.h"
#include "server/model/field_path.h"
#include "server/model/label_selector.h"
#include "server/model/path_segment.h"
#include "server/policies/condition_checks.h"
#include "server/policies/match_checks.h"
#include "server/policies/policy.h"

namespace berth::server {
namespace {

using cel::TypeKind;

constexpr size_t kAnnotationsMax = 20;
constexpr size_t kAnnotationExpressionMax = 5 * 1024;
// Upstream has no such bound; compiling them is work that no cost covers.
constexpr size_t kExpressionBytesMax = size_t{256} << 10;

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

bool IsIdentifier(std::string_view name) {
  const auto fits = [](char c) { return IsAlphanumeric(c) || c == '_'; };
  return !name.empty() && !(name[0] >= '0' && name[0] <= '9') && std::ranges::all_of(name, fits) &&
         !cel::IsReservedName(name);
}

// Calls `visit` with the text of each expression of a policy.
template <class Visit>
void VisitExpressions(const Json& policy, Visit visit) {
  for (const char* const list : {"validations", "matchConditions", "variables", "auditAnnotations"}) {
    for (const Json& item : policy["spec"][list].items()) {
      for (const char* const name : {"expression", "messageExpression", "valueExpression"}) visit(item[name].text());
    }
  }
}

// The texts of expressions in the policy as it was, which may use all that is known.
ExpressionTexts ExpressionsOf(const Json* policy) {
  ExpressionTexts known;
  if (policy != nullptr) VisitExpressions(*policy, [&](const std::string& text) { known.insert(text); });
  return known;
}

// The expressions of a policy, and what is beside them.
class PolicyCheck {
 public:
  PolicyCheck(const Json& policy, const Json* old, FieldErrors& errors)
      : policy_(policy),
        spec_(policy["spec"]),
        known_(ExpressionsOf(old)),
        compiler_(!spec_["variables"].empty(), spec_["paramKind"].is_map()),
        errors_(errors) {}

  void CheckVariables(const FieldPath& path) {
    for (size_t i = 0; i < spec_["variables"].size(); ++i) {
      const Json& variable = spec_["variables"][i];
      const FieldPath at = path[i];
      const std::string& name = variable["name"].text();
      const std::string& text = variable["expression"].text();
      if (WithoutSpaces(name).empty()) {
        errors_.Required(at / "name", "name is not specified");
      } else if (!IsIdentifier(name)) {
        errors_.Invalid(at / "name", name, "must be a valid CEL identifier");
      }
      if (WithoutSpaces(text).empty()) {
        errors_.Required(at / "expression", "expression is not specified");
      } else {
        Add(compiler_.CompileVariable(name, text, known_.contains(text)), at / "expression");
      }
    }
  }

  void CheckValidation(const Json& validation, const FieldPath& path) {
    const std::string& text = validation["expression"].text();
    if (WithoutSpaces(text).empty()) {
      errors_.Required(path / "expression", "expression is not specified");
    } else {
      Add(compiler_.Compile(text, {TypeKind::kBool}, known_.contains(text)), path / "expression");
    }
    const std::string& message_text = validation["messageExpression"].text();
    if (!message_text.empty() && WithoutSpaces(message_text).empty()) {
      errors_.Invalid(path / "messageExpression", message_text, "must be non-empty if specified");
    } else if (!message_text.empty()) {
      Add(compiler_.Compile(message_text, {TypeKind::kString}, known_.contains(message_text)),
          path / "messageExpression");
    }
    const std::string& message = validation["message"].text();
    if (!message.empty() && WithoutSpaces(message).empty()) {
      errors_.Invalid(path / "message", message, "must be non-empty if specified");
    } else if (WithoutSpaces(message).find_first_of("\n\r") != std::string_view::npos) {
      errors_.Invalid(path / "message", message, "must not contain line breaks");
    }
    if (!validation["reason"].is_null()) {
      CheckOneOf(errors_, path / "reason", validation["reason"].text(),
                 {"Forbidden", "Invalid", "RequestEntityTooLarge"});
    }
  }

  void CheckAnnotation(const Json& annotation, const FieldPath& path) {
    const std::string& name = policy_["metadata"]["name"].text();
    const std::string& key = annotation["key"].text();
    if (name.empty()) {
      errors_.Invalid(path / "key", key, "requires metadata.name be non-empty");
    } else {
      CheckQualifiedName(errors_, path / "key", name + "/" + key);
    }
    const FieldPath at = path / "valueExpression";
    const std::string& given = annotation["valueExpression"].text();
    const std::string text(WithoutSpaces(given));
    if (text.empty()) return errors_.Required(at, "valueExpression is not specified");
    if (text.size() > kAnnotationExpressionMax) {
      return errors_.Required(at, fmt::format("must not exceed {} bytes in length", kAnnotationExpressionMax));
    }
    PolicyExpression compiled = compiler_.Compile(text, {TypeKind::kString, TypeKind::kNull}, known_.contains(given));
    compiled.text = given;
    Add(compiled, at);
  }

 private:
  void Add(const PolicyExpression& compiled, const FieldPath& path) { CheckExpression(compiled, path, errors_); }

  const Json& policy_;
  const Json& spec_;
  ExpressionTexts known_;
  PolicyCompiler compiler_;
  FieldErrors& errors_;
};

class PolicyStrategy final : public Strategy {
 public:
  bool has_status() const override { return true; }
  bool has_generation() const override { return true; }

  void Default(Json& object, bool /*is_create*/) const override {
    Json& spec = object.Make("spec");
    spec.SetDefault("failurePolicy", Json::String("Fail"));
    if (Json* const match = spec.Find("matchConstraints"); match != nullptr && match->is_map()) DefaultMatch(*match);
  }

  void Validate(const Json& object, FieldErrors& errors) const override { ValidateSpec(object, nullptr, errors); }
  void ValidateChange(const Json& object, const Json& old, FieldErrors& errors) const override {
    ValidateSpec(object, &old, errors);
  }

 private:
  static void ValidateSpec(const Json& policy, const Json* old, FieldErrors& errors) {
    const Json& spec = policy["spec"];
    size_t bytes = 0;
    VisitExpressions(policy, [&](const std::string& text) { bytes += text.size(); });
    if (bytes > kExpressionBytesMax) {
      return errors.Forbidden(
          kSpec, fmt::format("the expressions have {} bytes together, and may have {}", bytes, kExpressionBytesMax));
    }
    // Each is known to all expressions behind it.
    if (const size_t count = spec["variables"].size(); count > Policy::kVariablesMax) {
      return errors.TooMany(kSpec / "variables", count, Policy::kVariablesMax);
    }
    PolicyCheck check(policy, old, errors);
    if (spec["failurePolicy"].is_null()) {
      errors.Required(kSpec / "failurePolicy");
    } else {
      CheckOneOf(errors, kSpec / "failurePolicy", spec["failurePolicy"].text(), {"Fail", "Ignore"});
    }
    if (spec["paramKind"].is_map()) CheckParamKind(spec["paramKind"], kSpec / "paramKind", errors);
    const FieldPath match = kSpec / "matchConstraints";
    if (spec["matchConstraints"].is_map()) {
      CheckMatch(spec["matchConstraints"], match, errors);
      if (spec["matchConstraints"]["resourceRules"].empty()) errors.Required(match / "resourceRules");
    } else {
      errors.Required(match);
    }
    // What stays as it was is not judged again, unless what it can refer to has changed.
    const bool keeps_conditions = old != nullptr && (*old)["spec"]["matchConditions"] == spec["matchConditions"] &&
                                  (*old)["spec"]["paramKind"] == spec["paramKind"];
    if (!keeps_conditions) {
      CheckConditions(spec["matchConditions"], spec["paramKind"].is_map(), ExpressionsOf(old),
                      kSpec / "matchConditions", errors);
    }
    check.CheckVariables(kSpec / "variables");
    CheckResults(spec, check, errors);
  }

  static void CheckResults(const Json& spec, PolicyCheck& check, FieldErrors& errors) {
    const FieldPath validations = kSpec / "validations";
    const FieldPath annotations = kSpec / "auditAnnotations";
    if (spec["validations"].empty() && spec["auditAnnotations"].empty()) {
      constexpr std::string_view kNeeded = "validations or auditAnnotations must contain at least one item";
      errors.Required(validations, kNeeded);
      return errors.Required(annotations, kNeeded);
    }
    for (size_t i = 0; i < spec["validations"].size(); ++i) {
      check.CheckValidation(spec["validations"][i], validations[i]);
    }
    const Json& given = spec["auditAnnotations"];
    if (given.size() > kAnnotationsMax) {
      errors.Invalid(annotations, given, fmt::format("must not have more than {} auditAnnotations", kAnnotationsMax));
    }
    std::set<std::string_view> keys;
    for (size_t i = 0; i < given.size(); ++i) {
      const FieldPath at = annotations[i];
      check.CheckAnnotation(given[i], at);
      if (!keys.insert(given[i]["key"].text()).second) errors.Duplicate(at / "key", given[i]["key"]);
    }
  }
};

class BindingStrategy final : public Strategy {
 public:
  bool has_generation() const override { return true; }

  void Default(Json& object, bool /*is_create*/) const override {
    Json* const spec = object.Find("spec");
    if (spec == nullptr || !spec->is_map()) return;
    if (Json* const match = spec->Find("matchResources"); match != nullptr && match->is_map()) DefaultMatch(*match);
  }

  void Validate(const Json& object, FieldErrors& errors) const override {
    const Json& spec = object["spec"];
    const std::string& policy = spec["policyName"].text();
    if (policy.empty()) {
      errors.Required(kSpec / "policyName");
    } else {
      Report(errors, kSpec / "policyName", policy, api::ValidateDnsSubdomain(policy));
    }
    if (spec["paramRef"].is_map()) CheckReference(spec["paramRef"], kSpec / "paramRef", errors);
    CheckMatch(spec["matchResources"], kSpec / "matchResources", errors);
    CheckActions(spec["validationActions"], kSpec / "validationActions", errors);
  }

 private:
  static void CheckReference(const Json& reference, const FieldPath& path, FieldErrors& errors) {
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

  static void CheckActions(const Json& actions, const FieldPath& path, FieldErrors& errors) {
    std::set<std::string_view> seen;
    for (size_t i = 0; i < actions.size(); ++i) {
      const std::string& action = actions[i].text();
      CheckOneOf(errors, path[i], action, {"Audit", "Deny", "Warn"});
      if (!seen.insert(action).second) errors.Duplicate(path[i], action);
    }
    if (seen.contains("Deny") && seen.contains("Warn")) {
      errors.Invalid(path, actions,
                     "must not contain both Deny and Warn (repeating the same validation failure information in the "
                     "API response and headers serves no purpose)");
    }
    if (actions.empty()) errors.Required(path);
  }
};

}  // namespace

std::unique_ptr<Strategy> MakeValidatingAdmissionPolicyStrategy() { return std::make_unique<PolicyStrategy>(); }
std::unique_ptr<Strategy> MakeValidatingAdmissionPolicyBindingStrategy() { return std::make_unique<BindingStrategy>(); }

}  // namespace berth::server
