// SPDX-License-Identifier: Apache-2.0
#include "server/policies/policy_kind.h"

#include <fmt/format.h>

#include <set>

#include "base/text.h"
#include "server/model/checks.h"
#include "server/model/field_path.h"
#include "server/policies/policy_checks.h"

namespace berth::server {
namespace {

using cel::TypeKind;

constexpr size_t kAnnotationsMax = 20;
constexpr size_t kAnnotationExpressionMax = 5 * 1024;

void CheckValidation(PolicyCheck& check, const Json& validation, const FieldPath& path) {
  FieldErrors& errors = check.errors();
  const std::string& text = validation["expression"].text();
  if (Trim(text).empty()) {
    errors.Required(path / "expression", "expression is not specified");
  } else {
    check.Add(check.compiler().Compile(text, {TypeKind::kBool}, check.IsKnown(text)), path / "expression");
  }
  const std::string& message_text = validation["messageExpression"].text();
  if (!message_text.empty() && Trim(message_text).empty()) {
    errors.Invalid(path / "messageExpression", message_text, "must be non-empty if specified");
  } else if (!message_text.empty()) {
    check.Add(check.compiler().Compile(message_text, {TypeKind::kString}, check.IsKnown(message_text)),
              path / "messageExpression");
  }
  const std::string& message = validation["message"].text();
  if (!message.empty() && Trim(message).empty()) {
    errors.Invalid(path / "message", message, "must be non-empty if specified");
  } else if (Trim(message).find_first_of("\n\r") != std::string_view::npos) {
    errors.Invalid(path / "message", message, "must not contain line breaks");
  }
  if (!validation["reason"].is_null()) {
    CheckOneOf(errors, path / "reason", validation["reason"].text(), {"Forbidden", "Invalid", "RequestEntityTooLarge"});
  }
}

void CheckAnnotation(PolicyCheck& check, const std::string& name, const Json& annotation, const FieldPath& path) {
  FieldErrors& errors = check.errors();
  const std::string& key = annotation["key"].text();
  if (name.empty()) {
    errors.Invalid(path / "key", key, "requires metadata.name be non-empty");
  } else {
    CheckQualifiedName(errors, path / "key", name + "/" + key);
  }
  const FieldPath at = path / "valueExpression";
  const std::string& given = annotation["valueExpression"].text();
  const std::string text(Trim(given));
  if (text.empty()) return errors.Required(at, "valueExpression is not specified");
  if (text.size() > kAnnotationExpressionMax) {
    return errors.Required(at, fmt::format("must not exceed {} bytes in length", kAnnotationExpressionMax));
  }
  PolicyExpression compiled =
      check.compiler().Compile(text, {TypeKind::kString, TypeKind::kNull}, check.IsKnown(given));
  compiled.text = given;
  check.Add(compiled, at);
}

class PolicyStrategy final : public Strategy {
 public:
  bool has_status() const override { return true; }
  bool has_generation() const override { return true; }

  void Default(Json& object, bool /*is_create*/) const override { DefaultPolicy(object); }

  void Validate(const Json& object, FieldErrors& errors) const override { ValidateSpec(object, nullptr, errors); }
  void ValidateChange(const Json& object, const Json& old, FieldErrors& errors) const override {
    ValidateSpec(object, &old, errors);
  }

 private:
  static void ValidateSpec(const Json& policy, const Json* old, FieldErrors& errors) {
    const Json& spec = policy["spec"];
    PolicyCheck check(policy, old, errors);
    if (!check.IsBounded()) return;
    CheckPolicySpec(spec, errors);
    check.CheckMatchConditions(kSpec / "matchConditions");
    check.CheckVariables(kSpec / "variables");
    CheckResults(policy, check, errors);
  }

  static void CheckResults(const Json& policy, PolicyCheck& check, FieldErrors& errors) {
    const Json& spec = policy["spec"];
    const FieldPath validations = kSpec / "validations";
    const FieldPath annotations = kSpec / "auditAnnotations";
    if (spec["validations"].empty() && spec["auditAnnotations"].empty()) {
      constexpr std::string_view kNeeded = "validations or auditAnnotations must contain at least one item";
      errors.Required(validations, kNeeded);
      return errors.Required(annotations, kNeeded);
    }
    for (size_t i = 0; i < spec["validations"].size(); ++i) {
      CheckValidation(check, spec["validations"][i], validations[i]);
    }
    const Json& given = spec["auditAnnotations"];
    if (given.size() > kAnnotationsMax) {
      errors.Invalid(annotations, given, fmt::format("must not have more than {} auditAnnotations", kAnnotationsMax));
    }
    std::set<std::string_view> keys;
    for (size_t i = 0; i < given.size(); ++i) {
      const FieldPath at = annotations[i];
      CheckAnnotation(check, policy["metadata"]["name"].text(), given[i], at);
      if (!keys.insert(given[i]["key"].text()).second) errors.Duplicate(at / "key", given[i]["key"]);
    }
  }
};

class BindingStrategy final : public Strategy {
 public:
  bool has_generation() const override { return true; }

  void Default(Json& object, bool /*is_create*/) const override { DefaultBinding(object); }

  void Validate(const Json& object, FieldErrors& errors) const override {
    const Json& spec = object["spec"];
    CheckBinding(spec, errors);
    CheckActions(spec["validationActions"], kSpec / "validationActions", errors);
  }

 private:
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
