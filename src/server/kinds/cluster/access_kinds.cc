// SPDX-License-Identifier: Apache-2.0
// Roles and their bindings.
#include <initializer_list>

#include "api/parts/selector.h"
#include "server/kinds/internal_value.h"
#include "server/kinds/kinds.h"
#include "server/model/checks.h"
#include "server/model/label_selector.h"
#include "server/model/path_segment.h"

namespace berth::server {
namespace {

constexpr std::string_view kGroup = "rbac.authorization.k8s.io";

bool IsNamespaced(const Json& object) { return object["metadata"].Has("namespace"); }

class RoleStrategy final : public Strategy {
 public:
  void Validate(const Json& role, FieldErrors& errors) const override {
    static constexpr FieldPath kRules("rules");
    static constexpr FieldPath kSelectors("aggregationRule.clusterRoleSelectors");
    const Json& rules = role["rules"];
    for (size_t i = 0; i < rules.size(); ++i) ValidateRule(rules[i], IsNamespaced(role), kRules[i], errors);
    if (const Json* aggregation = role.Find("aggregationRule")) {
      const Json& selectors = (*aggregation)["clusterRoleSelectors"];
      if (selectors.empty()) {
        errors.Required(kSelectors, "at least one clusterRoleSelector required if aggregationRule is non-nil");
      }
      for (size_t i = 0; i < selectors.size(); ++i) ValidateLabelSelector(selectors[i], kSelectors[i], errors);
    }
    for (size_t i = 0; i < rules.size(); ++i) {
      const FieldPath path = kRules[i];
      if (rules[i]["verbs"].empty()) errors.Required(path / "verbs");
    }
  }

  NameRule name_rule() const override { return NameRule::kPathSegment; }
  bool allows_create_on_update() const override { return true; }

 private:
  static void ValidateRule(const Json& rule, bool is_namespaced, const FieldPath& path, FieldErrors& errors) {
    const Json& urls = rule["nonResourceURLs"];
    if (!urls.empty()) {
      if (is_namespaced) {
        errors.Invalid(path / "nonResourceURLs", urls, "namespaced rules cannot apply to non-resource URLs");
      }
      if (!rule["apiGroups"].empty() || !rule["resources"].empty() || !rule["resourceNames"].empty()) {
        errors.Invalid(path / "nonResourceURLs", urls,
                       "rules cannot apply to both regular resources and non-resource URLs");
      }
      return;
    }
    if (rule["apiGroups"].empty()) {
      errors.Required(path / "apiGroups", "resource rules must supply at least one api group");
    }
    if (rule["resources"].empty()) {
      errors.Required(path / "resources", "resource rules must supply at least one resource");
    }
  }
};

class RoleBindingStrategy final : public Strategy {
 public:
  void Default(Json& binding, bool /*is_create*/) const override {
    Json& role = binding.Make("roleRef");
    if (role["apiGroup"].text().empty()) role.Set("apiGroup", kGroup);
    Json* subjects = binding.Find("subjects");
    if (subjects == nullptr || !subjects->is_list()) return;
    for (Json& subject : subjects->mutable_items()) {
      const std::string& kind = subject["kind"].text();
      if (subject["apiGroup"].text().empty() && (kind == "User" || kind == "Group")) subject.Set("apiGroup", kGroup);
    }
  }

  void Validate(const Json& binding, FieldErrors& errors) const override {
    static constexpr FieldPath kRole("roleRef");
    static constexpr FieldPath kSubjects("subjects");
    const Json& role = binding["roleRef"];
    const bool is_namespaced = IsNamespaced(binding);
    CheckOneOf(errors, kRole / "apiGroup", role["apiGroup"].text(), {kGroup});
    if (is_namespaced) {
      CheckOneOf(errors, kRole / "kind", role["kind"].text(), {"Role", "ClusterRole"});
    } else {
      CheckOneOf(errors, kRole / "kind", role["kind"].text(), {"ClusterRole"});
    }
    const std::string& name = role["name"].text();
    Report(errors, kRole / "name", name, CheckPathSegment(name));
    const Json& subjects = binding["subjects"];
    for (size_t i = 0; i < subjects.size(); ++i) ValidateSubject(subjects[i], is_namespaced, kSubjects[i], errors);
    if (name.empty()) errors.Required(kRole / "name");
    for (size_t i = 0; i < subjects.size(); ++i) Require(errors, kSubjects[i], subjects[i], "name");
  }

  void ValidateUpdate(const Json& binding, const Json& old, FieldErrors& errors) const override {
    if (binding["roleRef"] == old["roleRef"]) return;
    InvalidInternal(errors, "roleRef", binding["roleRef"], "rbac.v1.RoleRef", "field is immutable");
  }

  NameRule name_rule() const override { return NameRule::kPathSegment; }
  bool allows_create_on_update() const override { return true; }

 private:
  static void ValidateSubject(const Json& subject, bool is_namespaced, const FieldPath& path, FieldErrors& errors) {
    const std::string& kind = subject["kind"].text();
    const std::string& group = subject["apiGroup"].text();
    if (kind == "ServiceAccount") {
      const std::string& name = subject["name"].text();
      if (!name.empty()) Report(errors, path / "name", name, api::ValidateDnsSubdomain(name));
      if (!group.empty()) errors.NotSupported(path / "apiGroup", group, {""});
      if (!is_namespaced && subject["namespace"].text().empty()) errors.Required(path / "namespace");
    } else if (kind == "User" || kind == "Group") {
      CheckOneOf(errors, path / "apiGroup", group, {kGroup});
    } else {
      errors.NotSupported(path / "kind", kind, {"ServiceAccount", "User", "Group"});
    }
  }
};

}  // namespace

std::unique_ptr<Strategy> MakeRoleStrategy() { return std::make_unique<RoleStrategy>(); }
std::unique_ptr<Strategy> MakeRoleBindingStrategy() { return std::make_unique<RoleBindingStrategy>(); }

}  // namespace berth::server
