// SPDX-License-Identifier: Apache-2.0
// RuleIndex: who has which rules, by roles and their bindings.
//
// It follows the store and keeps bindings by the users and groups that they name, so that a question about a user looks
// at this user's bindings only. What goes from the store goes from here.
//
// Thread: that of the store.

#pragma once

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <boost/unordered/unordered_flat_map.hpp>

#include "server/access/policy_rule.h"
#include "server/store/store.h"

namespace berth::server {

struct RoleBinding {
  struct Subject {
    std::string kind;
    std::string ns;
    std::string name;
  };

  std::string ns;  // Empty: of the whole cluster.
  std::string name;
  std::string role_kind;
  std::string role_name;
  std::vector<Subject> subjects;

  // `ClusterRoleBinding "x" of ClusterRole "y" to User "z"`.
  std::string Describe(const Subject& subject) const;
};

// A binding that holds for a user.
struct HeldBinding {
  const RoleBinding* binding = nullptr;
  size_t subject = 0;  // The first one that is the user, or a group of theirs.

  const RoleBinding& operator*() const { return *binding; }
  const RoleBinding* operator->() const { return binding; }
  std::string Describe() const { return binding->Describe(binding->subjects[subject]); }
};

class RuleIndex {
 public:
  // REQUIRES: both outlive this, and nothing is written to the store after it has gone.
  RuleIndex(const Catalog& catalog, Store& store);
  RuleIndex(const RuleIndex&) = delete;
  RuleIndex& operator=(const RuleIndex&) = delete;

  using RulesPtr = std::shared_ptr<const PolicyRules>;
  // Null if there is no such role.
  RulesPtr RulesOf(std::string_view role_kind, std::string_view role_name, std::string_view ns) const;
  // The bindings that hold for a user, those of the cluster first, in the order of names; of namespace `ns` unless that
  // is empty. Good until the next write.
  std::vector<HeldBinding> BindingsOf(const User& user, std::string_view ns) const;

  size_t subject_count() const { return by_subject_.size(); }

 private:
  using Bindings = std::map<std::string_view, HeldBinding>;  // By name.

  void OnChange(const StoredObject& object, bool is_gone);
  void Add(const StoredObject& object);
  void Remove(const StoredObject& object);
  void Collect(const User& user, std::string_view ns, std::vector<HeldBinding>& found) const;
  boost::unordered_flat_map<std::string, RulesPtr>* RolesIn(const Resource& resource);
  bool HasBindings(const Resource& resource) const;

  const Resource& roles_resource_;
  const Resource& cluster_roles_resource_;
  const Resource& bindings_resource_;
  const Resource& cluster_bindings_resource_;
  boost::unordered_flat_map<std::string, RulesPtr> roles_;                               // By `ns/name`.
  boost::unordered_flat_map<std::string, RulesPtr> cluster_roles_;                       // By name.
  boost::unordered_flat_map<std::string, std::unique_ptr<const RoleBinding>> bindings_;  // By `ns/name`, or the name.
  boost::unordered_flat_map<std::string, Bindings> by_subject_;                          // None of them is empty.
};

}  // namespace berth::server
