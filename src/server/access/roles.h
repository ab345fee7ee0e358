// SPDX-License-Identifier: Apache-2.0
// Roles: what users may do where rights are given by roles (RBAC), in upstream's words.
//
// Thread: that of the store.

#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "server/access/rule_index.h"

namespace berth::server {

struct Decision {
  bool is_allowed = false;
  std::string reason;  // For people.
};

// All rules of a user in a namespace.
struct HeldRules {
  PolicyRules rules;
  std::string error;  // About roles that are bound and do not exist; empty: there are none.
};

class Roles {
 public:
  // REQUIRES: as of RuleIndex.
  Roles(const Catalog& catalog, Store& store) : index_(catalog, store) {}

  Decision Authorize(const User& user, const Attributes& attributes) const;
  HeldRules RulesOf(const User& user, const std::string& ns) const;

  // Refuses a write by which somebody would give rights that they do not have. `object` is a role or a binding as it
  // shall be, `old` as it is; null: there is none. `name` is the one in the request.
  Outcome<void> CheckGrant(const User& user, const Resource& resource, const std::string& ns, const std::string& name,
                           const Json& object, const Json* old) const;

 private:
  Outcome<void> CheckRole(const User& user, const Resource& resource, const std::string& ns, const std::string& name,
                          const Json& role, const Json* old) const;
  Outcome<void> CheckBinding(const User& user, const Resource& resource, const std::string& ns,
                             const Json& binding) const;
  Outcome<void> CheckHeld(const User& user, const Resource& resource, const std::string& ns, const std::string& name,
                          const PolicyRules& asked) const;

  RuleIndex index_;
};

}  // namespace berth::server
