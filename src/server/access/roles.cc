// SPDX-License-Identifier: Apache-2.0
#include "server/access/roles.h"

#include <fmt/format.h>

#include <algorithm>

#include "api/document/field_error.h"
#include "server/model/joined_errors.h"

namespace berth::server {
namespace {

using api::GoQuote;

// `what` is how the place that was looked at calls roles.
std::string NoSuchRole(std::string_view what, std::string_view name) {
  return fmt::format("{}.{} {} not found", what, kRbacGroup, GoQuote(name));
}
std::string NoSuchRole(const RoleBinding& binding) {
  return NoSuchRole(binding.role_kind == "Role" ? "role" : "clusterrole", binding.role_name);
}

// Whether they differ in what the garbage collector changes and in nothing else.
bool DifferForCollectorOnly(Json object, Json old) {
  for (Json* each : {&object, &old}) {
    for (const std::string_view name : {"ownerReferences", "finalizers", "selfLink", "managedFields"}) {
      each->Make("metadata").Erase(name);
    }
  }
  return object == old;
}

const PolicyRules& FullAuthority() {
  static const PolicyRules kAll{{.verbs = {"*"}, .groups = {"*"}, .resources = {"*"}, .names = {}, .urls = {}},
                                {.verbs = {"*"}, .groups = {}, .resources = {}, .names = {}, .urls = {"*"}}};
  return kAll;
}

bool Aggregates(const Json& role) { return !role["aggregationRule"]["clusterRoleSelectors"].empty(); }

}  // namespace

Decision Roles::Authorize(const User& user, const Attributes& attributes) const {
  if (user.IsIn(kMastersGroup)) return {.is_allowed = true, .reason = {}};
  std::vector<std::string> errors;
  for (const HeldBinding& binding : index_.BindingsOf(user, attributes.ns)) {
    const RuleIndex::RulesPtr rules = index_.RulesOf(binding->role_kind, binding->role_name, binding->ns);
    if (rules == nullptr) {
      errors.push_back(NoSuchRole(*binding));
    } else if (std::ranges::any_of(*rules, [&](const PolicyRule& rule) { return Allows(rule, attributes); })) {
      return {.is_allowed = true, .reason = "RBAC: allowed by " + binding.Describe()};
    }
  }
  return {.is_allowed = false, .reason = errors.empty() ? "" : "rbac: RBAC: " + JoinErrors(errors)};
}

HeldRules Roles::RulesOf(const User& user, const std::string& ns) const {
  HeldRules held;
  std::vector<std::string> errors;
  for (const HeldBinding& binding : index_.BindingsOf(user, ns)) {
    const RuleIndex::RulesPtr rules = index_.RulesOf(binding->role_kind, binding->role_name, binding->ns);
    if (rules == nullptr) {
      errors.push_back(NoSuchRole(*binding));
    } else {
      held.rules.insert(held.rules.end(), rules->begin(), rules->end());
    }
  }
  held.error = JoinErrors(errors);
  return held;
}

Outcome<void> Roles::CheckGrant(const User& user, const Resource& resource, const std::string& ns,
                                const std::string& name, const Json& object, const Json* old) const {
  const bool is_role = resource.plural == "roles" || resource.plural == "clusterroles";
  if (resource.group != kRbacGroup || user.IsIn(kMastersGroup)) return {};
  if (is_role) return CheckRole(user, resource, ns, name, object, old);
  if (old != nullptr && DifferForCollectorOnly(object, *old)) return {};
  return CheckBinding(user, resource, ns, object);
}

Outcome<void> Roles::CheckRole(const User& user, const Resource& resource, const std::string& ns,
                               const std::string& name, const Json& role, const Json* old) const {
  const Attributes escalation{.is_resource = true,
                              .verb = "escalate",
                              .group = std::string(kRbacGroup),
                              .resource = std::string(resource.plural),
                              .ns = ns,
                              .name = name};
  if (Authorize(user, escalation).is_allowed) return {};
  if (old != nullptr && DifferForCollectorOnly(role, *old)) return {};
  const std::string& own_name = role["metadata"]["name"].text();
  BERTH_CHECK_OK(CheckHeld(user, resource, ns, own_name, ReadRules(role)));
  if (!Aggregates(role) && (old == nullptr || !Aggregates(*old))) return {};
  if (CheckHeld(user, resource, ns, own_name, FullAuthority())) return {};
  return ForbiddenResource(std::string(kRbacGroup), std::string(resource.plural), own_name,
                           "must have cluster-admin privileges to use the aggregationRule");
}

Outcome<void> Roles::CheckBinding(const User& user, const Resource& resource, const std::string& ns,
                                  const Json& binding) const {
  const Json& role = binding["roleRef"];
  const std::string& kind = role["kind"].text();
  const std::string& name = role["name"].text();
  const bool is_known = kind == "Role" || kind == "ClusterRole";
  if (!is_known) return InternalError("unsupported role reference kind: " + GoQuote(kind));
  const Attributes bind{.is_resource = true,
                        .verb = "bind",
                        .group = role["apiGroup"].text(),
                        .resource = kind == "Role" ? "roles" : "clusterroles",
                        .ns = ns,
                        .name = name};
  if (Authorize(user, bind).is_allowed) return {};
  const RuleIndex::RulesPtr rules = index_.RulesOf(kind, name, ns);
  // Upstream names the resource of the request, whatever it looked for.
  if (rules == nullptr) return NotFound(resource, name);
  return CheckHeld(user, resource, ns, binding["metadata"]["name"].text(), *rules);
}

Outcome<void> Roles::CheckHeld(const User& user, const Resource& resource, const std::string& ns,
                               const std::string& name, const PolicyRules& asked) const {
  PolicyRules held;
  std::vector<std::string> errors;
  for (const HeldBinding& binding : index_.BindingsOf(user, ns)) {
    const RuleIndex::RulesPtr rules = index_.RulesOf(binding->role_kind, binding->role_name, binding->ns);
    if (rules == nullptr) {
      errors.push_back(NoSuchRole(resource.plural, binding->role_name));
    } else {
      held.insert(held.end(), rules->begin(), rules->end());
    }
  }
  const auto refuse = [&](const std::string& why) {
    return ForbiddenResource(std::string(kRbacGroup), std::string(resource.plural), name, why);
  };
  const std::optional<std::string> missing = Missing(held, asked);
  if (!missing) return refuse("the rules have too many combinations");
  if (missing->empty()) return {};
  std::vector<std::string> groups;
  for (const std::string& group : user.groups) groups.push_back(GoQuote(group));
  const std::string unresolved = errors.empty() ? "" : fmt::format("; resolution errors: [{}]", JoinErrors(errors));
  return refuse(fmt::format("user {} (groups=[{}]) is attempting to grant RBAC permissions not currently held:\n{}{}",
                            GoQuote(user.name), fmt::join(groups, " "), *missing, unresolved));
}

}  // namespace berth::server
