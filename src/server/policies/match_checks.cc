// SPDX-License-Identifier: Apache-2.0
#include "server/policies/match_checks.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "server/model/checks.h"
#include "server/model/label_selector.h"
#include "server/model/path_segment.h"

namespace berth::server {
namespace {

bool HasWildcard(const Json& list) {
  return std::ranges::any_of(list.items(), [](const Json& item) { return item.text() == "*"; });
}

void CheckRuleResources(const Json& resources, const FieldPath& path, FieldErrors& errors) {
  if (resources.empty()) errors.Required(path);
  std::set<std::string_view> with_any_sub;
  std::set<std::string_view> subs_of_any;
  bool has_all = false;
  bool has_any = false;
  bool has_plain = false;
  for (size_t i = 0; i < resources.size(); ++i) {
    const std::string& text = resources[i].text();
    if (text.empty()) {
      errors.Required(path[i]);
      continue;
    }
    has_all |= text == "*/*";
    has_any |= text == "*";
    const size_t slash = text.find('/');
    if (slash == std::string::npos) {
      has_plain = text != "*";
      continue;
    }
    const std::string_view main = std::string_view(text).substr(0, slash);
    const std::string_view sub = std::string_view(text).substr(slash + 1);
    if (with_any_sub.contains(main)) {
      errors.Invalid(path[i], text, fmt::format("if '{}/*' is present, must not specify {}", main, text));
    }
    if (subs_of_any.contains(sub)) {
      errors.Invalid(path[i], text, fmt::format("if '*/{}' is present, must not specify {}", sub, text));
    }
    if (sub == "*") with_any_sub.insert(main);
    if (main == "*") subs_of_any.insert(sub);
  }
  if (resources.size() > 1 && has_all) {
    errors.Invalid(path, resources, "if '*/*' is present, must not specify other resources");
  }
  if (has_any && has_plain) {
    errors.Invalid(path, resources, "if '*' is present, must not specify other resources without subresources");
  }
}

}  // namespace

void DefaultMatch(Json& match) {
  match.SetDefault("matchPolicy", Json::String("Equivalent"));
  match.SetDefault("namespaceSelector", Json::MakeMap());
  match.SetDefault("objectSelector", Json::MakeMap());
  for (const std::string_view name : {"resourceRules", "excludeResourceRules", "rules"}) {
    Json* const rules = match.Find(name);
    if (rules == nullptr || !rules->is_list() || rules->empty()) continue;
    for (Json& rule : rules->mutable_items()) {
      if (rule.is_map()) rule.SetDefault("scope", Json::String("*"));
    }
  }
}

void CheckRule(const Json& rule, const FieldPath& path, FieldErrors& errors) {
  std::set<std::string_view> names;
  const FieldPath names_path = path / "resourceNames";
  for (size_t i = 0; i < rule["resourceNames"].size(); ++i) {
    const Json& name = rule["resourceNames"][i];
    Report(errors, names_path[i], name, CheckPathSegment(name.text()));
    if (!names.insert(name.text()).second) errors.Duplicate(names_path[i], name);
  }
  const Json& operations = rule["operations"];
  const FieldPath operations_path = path / "operations";
  if (operations.empty()) errors.Required(operations_path);
  if (operations.size() > 1 && HasWildcard(operations)) {
    errors.Invalid(operations_path, operations, "if '*' is present, must not specify other operations");
  }
  for (size_t i = 0; i < operations.size(); ++i) {
    CheckOneOf(errors, operations_path[i], operations[i].text(), {"*", "CONNECT", "CREATE", "DELETE", "UPDATE"});
  }
  const Json& groups = rule["apiGroups"];
  if (groups.empty()) errors.Required(path / "apiGroups");
  if (groups.size() > 1 && HasWildcard(groups)) {
    errors.Invalid(path / "apiGroups", groups, "if '*' is present, must not specify other API groups");
  }
  const Json& versions = rule["apiVersions"];
  const FieldPath versions_path = path / "apiVersions";
  if (versions.empty()) errors.Required(versions_path);
  if (versions.size() > 1 && HasWildcard(versions)) {
    errors.Invalid(versions_path, versions, "if '*' is present, must not specify other API versions");
  }
  for (size_t i = 0; i < versions.size(); ++i) {
    if (versions[i].text().empty()) errors.Required(versions_path[i]);
  }
  CheckRuleResources(rule["resources"], path / "resources", errors);
  if (!rule["scope"].is_null())
    CheckOneOf(errors, path / "scope", rule["scope"].text(), {"*", "Cluster", "Namespaced"});
}

void CheckMatch(const Json& match, const FieldPath& path, FieldErrors& errors) {
  if (!match.is_map()) return;
  CheckOneOf(errors, path / "matchPolicy", match["matchPolicy"].text(), {"Equivalent", "Exact"});
  ValidateLabelSelector(match["namespaceSelector"], path / "namespaceSelector", errors);
  ValidateLabelSelector(match["objectSelector"], path / "objectSelector", errors);
  for (const std::string_view name : {"resourceRules", "excludeResourceRules"}) {
    const FieldPath rules_path = path / name;
    for (size_t i = 0; i < match[name].size(); ++i) CheckRule(match[name][i], rules_path[i], errors);
  }
}

}  // namespace berth::server
