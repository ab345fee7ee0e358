// SPDX-License-Identifier: Apache-2.0
// AccountTokens: gives out tokens of service accounts, and tells whose a token is.
//
// A token is a JWT with upstream's claims, signed with a key that this process has alone, so it ends with the process
// at the latest. It is good until it expires and while its account, and the object that it is bound to, is there. The
// lasting tokens in Secrets of type kubernetes.io/service-account-token are known by their Secret.
//
// Thread: that of the store.

#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/time.h"
#include "server/access/user.h"
#include "server/model/status.h"
#include "server/store/store.h"

namespace berth::server {

// Of the API server itself, and who gives out its tokens.
inline constexpr std::string_view kAudience = "https://kubernetes.default.svc";

// Whose a token is, or why it is nobody's.
struct TokenVerdict {
  bool is_known = false;
  User user = {};
  std::vector<std::string> audiences = {};  // Those that were asked about and that it is for.
  std::string error = {};                   // Empty also where nothing can be said.
};

class AccountTokens {
 public:
  // `key` is secret. REQUIRES: it is not empty, and both others outlive this.
  AccountTokens(const Catalog& catalog, const Store& store, std::string key);

  struct Order {
    AccountName account;
    std::vector<std::string> audiences;
    Json bound_to;  // A boundObjectRef; null: to nothing.
    std::string id;
    Time now;
    Duration lifetime;
  };
  // Fails if the account is not there, or what it shall be bound to.
  Outcome<std::string> Issue(const Order& order) const;

  // For one of these audiences. REQUIRES: there is one.
  TokenVerdict Verify(std::string_view token, const std::vector<std::string>& audiences, Time now) const;

 private:
  Outcome<Json> BoundClaims(const Order& order) const;
  TokenVerdict VerifySigned(const Json& claims, const std::vector<std::string>& audiences, Time now) const;
  TokenVerdict VerifyLasting(std::string_view token, const Json& claims,
                             const std::vector<std::string>& audiences) const;
  std::string Sign(std::string_view text) const;
  bool IsThere(std::string_view plural, std::string_view ns, const Json& ref, Time now) const;

  const Catalog& catalog_;
  const Store& store_;
  const std::string key_;
};

}  // namespace berth::server
