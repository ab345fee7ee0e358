// SPDX-License-Identifier: Apache-2.0
#include "server/policies/mutating_policy_kind.h"

#include <fmt/format.h>

#include "base/text.h"
#include "server/model/checks.h"
#include "server/model/field_path.h"
#include "server/policies/policy_checks.h"

namespace berth::server {
namespace {

// What is deleted cannot be changed.
void CheckOperations(const Json& match, const FieldPath& path, FieldErrors& errors) {
  const FieldPath rules = path / "resourceRules";
  for (const Json& rule : match["resourceRules"].items()) {
    for (const Json& operation : rule["operations"].items()) {
      CheckOneOf(errors, rules / "operations", operation.text(), {"*", "CONNECT", "CREATE", "UPDATE"});
    }
  }
}

void CheckMutation(PolicyCheck& check, const Json& mutation, const FieldPath& path) {
  FieldErrors& errors = check.errors();
  const std::string& type = mutation["patchType"].text();
  if (type.empty()) return errors.Required(path / "patchType");
  const bool is_patch = type == "JSONPatch";
  if (!is_patch && type != "ApplyConfiguration") {
    return CheckOneOf(errors, path / "patchType", type, {"ApplyConfiguration", "JSONPatch"});
  }
  const std::string_view wanted = is_patch ? "jsonPatch" : "applyConfiguration";
  const std::string_view other = is_patch ? "applyConfiguration" : "jsonPatch";
  const FieldPath here = path / wanted;
  if (!mutation.Has(wanted)) {
    errors.Required(here, fmt::format("must be specified when patchType is {}", type));
  } else {
    const FieldPath at = here / "expression";
    const std::string& given = mutation[wanted]["expression"].text();
    const std::string text(Trim(given));
    if (text.empty()) {
      errors.Required(at);
    } else {
      check.Add(check.compiler().CompileMutation(text, is_patch, check.IsKnown(given)), at);
    }
  }
  if (mutation.Has(other)) {
    errors.Invalid(path / other, fmt::format("{{{}}}", other),
                   fmt::format("must not be specified when patchType is {}", type));
  }
}

class MutatingPolicyStrategy final : public Strategy {
 public:
  bool has_generation() const override { return true; }
  bool allows_unconditional_update() const override { return false; }

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
    CheckOperations(spec["matchConstraints"], kSpec / "matchConstraints", errors);
    check.CheckMatchConditions(kSpec / "matchConditions");
    check.CheckVariables(kSpec / "variables");
    const FieldPath mutations = kSpec / "mutations";
    if (spec["mutations"].empty()) errors.Required(mutations, "mutations must contain at least one item");
    for (size_t i = 0; i < spec["mutations"].size(); ++i) CheckMutation(check, spec["mutations"][i], mutations[i]);
    const std::string& again = spec["reinvocationPolicy"].text();
    if (again.empty()) {
      errors.Required(kSpec / "reinvocationPolicy");
    } else {
      CheckOneOf(errors, kSpec / "reinvocationPolicy", again, {"IfNeeded", "Never"});
    }
  }
};

class MutatingBindingStrategy final : public Strategy {
 public:
  bool has_generation() const override { return true; }
  bool allows_unconditional_update() const override { return false; }

  void Default(Json& object, bool /*is_create*/) const override { DefaultBinding(object); }

  void Validate(const Json& object, FieldErrors& errors) const override {
    CheckBinding(object["spec"], errors);
    CheckOperations(object["spec"]["matchResources"], kSpec / "matchResources", errors);
  }
};

}  // namespace

std::unique_ptr<Strategy> MakeMutatingAdmissionPolicyStrategy() { return std::make_unique<MutatingPolicyStrategy>(); }
std::unique_ptr<Strategy> MakeMutatingAdmissionPolicyBindingStrategy() {
  return std::make_unique<MutatingBindingStrategy>();
}

}  // namespace berth::server
