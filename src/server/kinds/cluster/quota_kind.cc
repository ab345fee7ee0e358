// SPDX-License-Identifier: Apache-2.0
// Quotas.
#include <algorithm>
#include <set>

#include "server/kinds/cluster/quota_resources.h"
#include "server/kinds/kinds.h"
#include "server/kinds/pods/container_defaults.h"
#include "server/kinds/pods/container_resources.h"
#include "server/model/checks.h"

namespace berth::server {
namespace {

using ResourceNames = std::initializer_list<std::string_view>;

const ResourceNames kPodResources = {"pods",          "cpu",          "memory",         "limits.cpu",
                                     "limits.memory", "requests.cpu", "requests.memory"};
const ResourceNames kScopes = {
    "Terminating",           "NotTerminating",           "BestEffort", "NotBestEffort", "PriorityClass",
    "VolumeAttributesClass", "CrossNamespacePodAffinity"};

void ValidateAmounts(const Json& amounts, const FieldPath& path, FieldErrors& errors) {
  for (const auto& [resource, amount] : amounts.members()) {
    const FieldPath at = path.Key(resource);
    CheckResourceName(errors, at, resource);
    if (resource.text().find('/') == std::string::npos && !IsQuotaResource(resource)) {
      errors.Invalid(at, resource, "must be a standard resource for quota");
    }
    ValidateAmount(resource, amount, at, errors);
  }
}

bool AllowsScope(std::string_view scope, std::string_view resource) {
  if (scope == "BestEffort") return resource == "pods";
  if (scope == "VolumeAttributesClass") {
    return resource == "persistentvolumeclaims" || resource == "requests.storage";
  }
  return !IsOneOf(scope, kScopes) || IsOneOf(resource, kPodResources);
}

class ResourceQuotaStrategy final : public Strategy {
 public:
  void Default(Json& quota, bool /*is_create*/) const override {
    RoundResourceList(quota.Make("spec").Find("hard"));
    RoundResourceList(quota.Make("status").Find("hard"));
    RoundResourceList(quota.Make("status").Find("used"));
  }

  void Validate(const Json& quota, FieldErrors& errors) const override {
    static constexpr FieldPath kHard("spec.hard");
    ValidateAmounts(quota["spec"]["hard"], kHard, errors);
    ValidateScopes(quota["spec"], errors);
    if (quota["spec"].Has("scopeSelector")) ValidateSelector(quota["spec"], errors);
  }

  void ValidateUpdate(const Json& quota, const Json& old, FieldErrors& errors) const override {
    const auto scopes = [](const Json& object) {
      std::set<std::string> names;
      for (const Json& scope : object["spec"]["scopes"].items()) names.insert(scope.text());
      return names;
    };
    if (scopes(quota) != scopes(old)) {
      errors.Invalid("spec.scopes", quota["spec"]["scopes"], "field is immutable");
    }
  }

  void ValidateStatusUpdate(const Json& quota, const Json& /*old*/, FieldErrors& errors) const override {
    ValidateAmounts(quota["status"]["hard"], FieldPath("status.hard"), errors);
    ValidateAmounts(quota["status"]["used"], FieldPath("status.used"), errors);
  }

  bool has_status() const override { return true; }

 private:
  static void ValidateScopes(const Json& spec, FieldErrors& errors) {
    static constexpr FieldPath kPath("spec.scopes");
    const Json& scopes = spec["scopes"];
    std::set<std::string> seen;
    for (const Json& scope : scopes.items()) {
      if (!IsOneOf(scope.text(), kScopes)) errors.Invalid(kPath, scopes, "unsupported scope");
      for (const auto& [resource, amount] : spec["hard"].members()) {
        if (IsQuotaResource(resource) && !AllowsScope(scope.text(), resource)) {
          errors.Invalid(kPath, scopes, "unsupported scope applied to resource");
        }
      }
      seen.insert(scope.text());
    }
    CheckConflicts(seen, kPath, scopes, errors);
  }

  static void CheckConflicts(const std::set<std::string>& scopes, const FieldPath& path, const Json& value,
                             FieldErrors& errors) {
    for (const auto& [scope, other] :
         {std::pair("BestEffort", "NotBestEffort"), std::pair("Terminating", "NotTerminating")}) {
      if (scopes.contains(scope) && scopes.contains(other)) errors.Invalid(path, value, "conflicting scopes");
    }
  }

  static void ValidateSelector(const Json& spec, FieldErrors& errors) {
    static constexpr FieldPath kPath("spec.scopeSelector.matchExpressions");
    std::set<std::string> seen;
    for (const Json& expression : spec["scopeSelector"]["matchExpressions"].items()) {
      const std::string& scope = expression["scopeName"].text();
      if (!IsOneOf(scope, kScopes)) errors.Invalid(kPath / "scopeName", scope, "unsupported scope");
      for (const auto& [resource, amount] : spec["hard"].members()) {
        if (!IsQuotaResource(resource) || AllowsScope(scope, resource)) continue;
        errors.Invalid(kPath, spec["scopeSelector"], "unsupported scope applied to resource");
      }
      ValidateExpression(expression, kPath, errors);
      seen.insert(scope);
    }
    CheckConflicts(seen, kPath, spec["scopes"], errors);
  }

  static void ValidateExpression(const Json& expression, const FieldPath& path, FieldErrors& errors) {
    const std::string& op = expression["operator"].text();
    const std::string& scope = expression["scopeName"].text();
    if (scope != "PriorityClass" && scope != "VolumeAttributesClass" && IsOneOf(scope, kScopes) && op != "Exists") {
      errors.Invalid(path / "operator", op,
                     "must be 'Exists' when scope is any of ResourceQuotaScopeTerminating, "
                     "ResourceQuotaScopeNotTerminating, ResourceQuotaScopeBestEffort, ResourceQuotaScopeNotBestEffort "
                     "or ResourceQuotaScopeCrossNamespacePodAffinity");
    }
    if (op == "In" || op == "NotIn") {
      if (!expression["values"].empty()) return;
      errors.Required(path / "values",
                      "must be at least one value when `operator` is 'In' or 'NotIn' for scope selector");
    } else if (op == "Exists" || op == "DoesNotExist") {
      if (expression["values"].empty()) return;
      errors.Invalid(path / "values", expression["values"],
                     "must be no value when `operator` is 'Exist' or 'DoesNotExist' for scope selector");
    } else {
      errors.Invalid(path / "operator", op, "not a valid selector operator");
    }
  }
};

}  // namespace

std::unique_ptr<Strategy> MakeResourceQuotaStrategy() { return std::make_unique<ResourceQuotaStrategy>(); }

}  // namespace berth::server
