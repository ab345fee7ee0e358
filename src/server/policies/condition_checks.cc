// SPDX-License-Identifier: Apache-2.0
#include "server/policies/condition_checks.h"

#include "base/text.h"
#include "server/model/checks.h"

namespace berth::server {
namespace {

constexpr size_t kConditionsMax = 64;

}  // namespace

void CheckExpression(const PolicyExpression& compiled, const FieldPath& path, FieldErrors& errors) {
  if (compiled.program) return;
  if (compiled.is_internal) return errors.Add({"InternalError", "Internal error: " + compiled.error, path});
  errors.Invalid(path, compiled.text, compiled.error);
}

void CheckConditions(const Json& conditions, bool has_params, const ExpressionTexts& known, const FieldPath& path,
                     FieldErrors& errors) {
  if (conditions.size() > kConditionsMax) errors.TooMany(path, conditions.size(), kConditionsMax);
  PolicyCompiler compiler(false, has_params);
  std::set<std::string_view> names;
  for (size_t i = 0; i < conditions.size(); ++i) {
    const FieldPath at = path[i];
    const std::string text(Trim(conditions[i]["expression"].text()));
    if (text.empty()) {
      errors.Required(at / "expression");
    } else {
      CheckExpression(compiler.Compile(text, {cel::TypeKind::kBool}, known.contains(text)), at / "expression", errors);
    }
    const std::string& name = conditions[i]["name"].text();
    if (name.empty()) {
      errors.Required(at / "name");
    } else {
      CheckQualifiedName(errors, at / "name", name);
      if (!names.insert(name).second) errors.Duplicate(at / "name", name);
    }
  }
}

}  // namespace berth::server
