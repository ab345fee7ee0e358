// SPDX-License-Identifier: Apache-2.0
#include "server/access/rule_index.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "api/document/field_error.h"

namespace berth::server {
namespace {

enum class SubjectKind : char { kUser = 'u', kGroup = 'g' };

// No namespace has a line break.
std::string SubjectKey(std::string_view ns, SubjectKind kind, std::string_view name) {
  return fmt::format("{}\n{}{}", ns, static_cast<char>(kind), name);
}

// Of an account: where the binding is, unless it says otherwise. Empty: it is nobody.
std::string UserOf(const RoleBinding::Subject& subject, std::string_view binding_ns) {
  if (subject.kind == "User") return subject.name;
  const std::string_view ns = subject.ns.empty() ? binding_ns : std::string_view(subject.ns);
  if (subject.kind != "ServiceAccount" || ns.empty()) return {};
  return UserNameOf({.ns = std::string(ns), .name = subject.name});
}

// Empty: it is nobody.
std::string KeyOf(const RoleBinding::Subject& subject, const RoleBinding& binding) {
  if (subject.kind == "Group") return SubjectKey(binding.ns, SubjectKind::kGroup, subject.name);
  const std::string user = UserOf(subject, binding.ns);
  return user.empty() ? user : SubjectKey(binding.ns, SubjectKind::kUser, user);
}

std::unique_ptr<const RoleBinding> ReadBinding(const StoredObject& object) {
  const TreePtr tree = object.tree();
  const Json& role = (*tree)["roleRef"];
  auto binding = std::make_unique<RoleBinding>(RoleBinding{.ns = std::string(object.ns()),
                                                           .name = std::string(object.name()),
                                                           .role_kind = role["kind"].text(),
                                                           .role_name = role["name"].text(),
                                                           .subjects = {}});
  for (const Json& subject : (*tree)["subjects"].items()) {
    binding->subjects.push_back(
        {.kind = subject["kind"].text(), .ns = subject["namespace"].text(), .name = subject["name"].text()});
  }
  return binding;
}

}  // namespace

std::string RoleBinding::Describe(const Subject& subject) const {
  using api::GoQuote;
  const bool is_account = subject.kind == "ServiceAccount";
  const std::string& place = subject.ns.empty() ? ns : subject.ns;
  return fmt::format("{} {} of {} {} to {} {}", ns.empty() ? "ClusterRoleBinding" : "RoleBinding",
                     GoQuote(ns.empty() ? name : name + "/" + ns), role_kind, GoQuote(role_name), subject.kind,
                     GoQuote(is_account ? subject.name + "/" + place : subject.name));
}

RuleIndex::RuleIndex(const Catalog& catalog, Store& store)
    : roles_resource_(catalog.Get(kRbacGroup, "roles")),
      cluster_roles_resource_(catalog.Get(kRbacGroup, "clusterroles")),
      bindings_resource_(catalog.Get(kRbacGroup, "rolebindings")),
      cluster_bindings_resource_(catalog.Get(kRbacGroup, "clusterrolebindings")) {
  for (const Resource* resource :
       {&roles_resource_, &cluster_roles_resource_, &bindings_resource_, &cluster_bindings_resource_}) {
    for (const auto& [key, object] : store.All(*resource)) OnChange(*object, false);
  }
  store.Listen([this](const ChangePtr& change) { OnChange(*change->object, change->type == Change::Type::kDeleted); });
}

boost::unordered_flat_map<std::string, RuleIndex::RulesPtr>* RuleIndex::RolesIn(const Resource& resource) {
  if (&resource == &roles_resource_) return &roles_;
  return &resource == &cluster_roles_resource_ ? &cluster_roles_ : nullptr;
}

bool RuleIndex::HasBindings(const Resource& resource) const {
  return &resource == &bindings_resource_ || &resource == &cluster_bindings_resource_;
}

void RuleIndex::OnChange(const StoredObject& object, bool is_gone) {
  if (auto* const roles = RolesIn(object.resource()); roles != nullptr) {
    if (is_gone) {
      roles->erase(object.key());
    } else {
      (*roles)[object.key()] = std::make_shared<const PolicyRules>(ReadRules(*object.tree()));
    }
  } else if (HasBindings(object.resource())) {
    Remove(object);
    if (!is_gone) Add(object);
  }
}

void RuleIndex::Add(const StoredObject& object) {
  std::unique_ptr<const RoleBinding>& kept = bindings_[object.key()];
  kept = ReadBinding(object);
  for (size_t i = 0; i < kept->subjects.size(); ++i) {
    std::string key = KeyOf(kept->subjects[i], *kept);
    if (!key.empty()) by_subject_[std::move(key)].try_emplace(kept->name, HeldBinding{kept.get(), i});
  }
}

void RuleIndex::Remove(const StoredObject& object) {
  const auto kept = bindings_.find(object.key());
  if (kept == bindings_.end()) return;
  for (const RoleBinding::Subject& subject : kept->second->subjects) {
    const auto named = by_subject_.find(KeyOf(subject, *kept->second));
    if (named == by_subject_.end()) continue;
    named->second.erase(kept->second->name);
    if (named->second.empty()) by_subject_.erase(named);
  }
  bindings_.erase(kept);
}

RuleIndex::RulesPtr RuleIndex::RulesOf(std::string_view role_kind, std::string_view role_name,
                                       std::string_view ns) const {
  const bool is_local = role_kind == "Role";
  const auto& roles = is_local ? roles_ : cluster_roles_;
  const auto found = roles.find(is_local ? ObjectKey(ns, role_name) : std::string(role_name));
  return found == roles.end() ? nullptr : found->second;
}

void RuleIndex::Collect(const User& user, std::string_view ns, std::vector<HeldBinding>& found) const {
  const auto begin = static_cast<std::ptrdiff_t>(found.size());
  const auto take = [&](SubjectKind kind, std::string_view name) {
    const auto named = by_subject_.find(SubjectKey(ns, kind, name));
    if (named == by_subject_.end()) return;
    for (const auto& [binding_name, binding] : named->second) found.push_back(binding);
  };
  take(SubjectKind::kUser, user.name);
  for (const std::string& group : user.groups) take(SubjectKind::kGroup, group);
  std::ranges::sort(found.begin() + begin, found.end(), {}, [](const HeldBinding& held) {
    return std::pair<std::string_view, size_t>(held->name, held.subject);
  });
  const auto others = std::ranges::unique(found.begin() + begin, found.end(), {}, &HeldBinding::binding);
  found.erase(others.begin(), others.end());
}

std::vector<HeldBinding> RuleIndex::BindingsOf(const User& user, std::string_view ns) const {
  std::vector<HeldBinding> found;
  Collect(user, {}, found);
  if (!ns.empty()) Collect(user, ns, found);
  return found;
}

}  // namespace berth::server
