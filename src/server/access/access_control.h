// SPDX-License-Identifier: Apache-2.0
// AccessControl: who makes a request, and whether they may.
//
// Users are known by the administrator's token, a file of tokens, client certificates and the tokens of service
// accounts. Where none of these is asked for, everybody is the administrator, but for those who show the token of an
// account. What users may do is given by roles, or is everything.
//
// Thread: that of the store.

#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "net/http_server.h"
#include "runtime/timers.h"
#include "server/access/account_tokens.h"
#include "server/access/attributes.h"
#include "server/access/bearer_token.h"
#include "server/access/impersonation.h"
#include "server/access/roles.h"
#include "server/access/token_file.h"

namespace berth::server {

struct AccessOptions {
  BearerToken token = {};  // The administrator's.
  TokenFile users = {};
  bool knows_certificates = false;   // Of clients; whether they are to be believed is known by then.
  bool asks_roles = false;           // Otherwise everybody who is known may do everything.
  std::string account_key = "none";  // With which tokens of accounts are signed; secret.

  // Whether it matters who makes a request.
  bool asks_who() const { return token.is_set() || !users.empty() || knows_certificates || asks_roles; }
};

class AccessControl {
 public:
  // REQUIRES: all outlive this.
  AccessControl(const Catalog& catalog, Store& store, const runtime::Timers& timers, AccessOptions options);

  // Reads the roles that are there, and follows them from now on, if they are asked about.
  void Start();
  bool is_open() const { return !options_.asks_who(); }
  bool asks_roles() const { return options_.asks_roles; }

  // The user of a request, by what it shows.
  Outcome<User> Authenticate(const net::ServerRequest& request) const;
  // As whom it shall be carried out: the user, or somebody in whose name it is made.
  Outcome<User> Impersonate(const User& user, const net::ServerRequest& request, const Attributes& attributes);
  Decision Authorize(const User& user, const Attributes& attributes) const;

  TokenVerdict VerifyToken(std::string_view token, std::vector<std::string> audiences) const;
  const AccountTokens& account_tokens() const { return account_tokens_; }
  HeldRules RulesOf(const User& user, const std::string& ns) const;
  // Refuses a write by which somebody would get or give more than they have: see Roles and CheckParameterRights.
  Outcome<void> CheckGrant(const User& user, const Resource& resource, const std::string& ns, const std::string& name,
                           const Json& object, const Json* old) const;

 private:
  const Catalog& catalog_;
  Store& store_;
  const runtime::Timers& timers_;
  const AccessOptions options_;
  AccountTokens account_tokens_;
  Impersonation impersonation_;
  std::optional<Roles> roles_;  // Nothing: they are not asked about.
};

}  // namespace berth::server
