// SPDX-License-Identifier: Apache-2.0
#include "server/access/access_control.h"

#include <algorithm>
#include <utility>

#include "server/access/parameter_rights.h"

namespace berth::server {
namespace {

Refusal Unauthorized() {
  return Refusal(StatusError{.code = 401, .reason = "Unauthorized", .message = "Unauthorized"});
}

User Authenticated(User user) {
  if (user.name != kAnonymousName && !user.IsIn(kUnauthenticatedGroup)) user.AddGroup(kAuthenticatedGroup);
  return user;
}

User UserOf(const net::PeerCertificate& certificate) {
  User user{.name = certificate.common_name, .uid = {}, .groups = certificate.organizations, .extra = {}};
  if (!certificate.fingerprint.empty()) {
    user.extra[std::string(kCredentialId)] = {"X509SHA256=" + certificate.fingerprint};
  }
  return Authenticated(std::move(user));
}

PolicyRules AllRules() {
  return {{.verbs = {"*"}, .groups = {"*"}, .resources = {"*"}, .names = {}, .urls = {}},
          {.verbs = {"*"}, .groups = {}, .resources = {}, .names = {}, .urls = {"*"}}};
}

}  // namespace

AccessControl::AccessControl(const Catalog& catalog, Store& store, const runtime::Timers& timers, AccessOptions options)
    : catalog_(catalog),
      store_(store),
      timers_(timers),
      options_(std::move(options)),
      account_tokens_(catalog, store, options_.account_key) {}

void AccessControl::Start() {
  if (options_.asks_roles) roles_.emplace(catalog_, store_);
}

TokenVerdict AccessControl::VerifyToken(std::string_view token, std::vector<std::string> audiences) const {
  const bool is_for_server = audiences.empty() || std::ranges::find(audiences, kAudience) != audiences.end();
  if (audiences.empty()) audiences.emplace_back(kAudience);
  if (is_for_server) {
    if (options_.token.Is(token)) {
      return {.is_known = true, .user = Administrator(), .audiences = {std::string(kAudience)}};
    }
    if (const User* const user = options_.users.Find(token)) {
      return {.is_known = true, .user = Authenticated(*user), .audiences = {std::string(kAudience)}};
    }
  }
  return account_tokens_.Verify(token, audiences, timers_.WallNow());
}

Outcome<User> AccessControl::Authenticate(const net::ServerRequest& request) const {
  const net::PeerCertificate* const certificate =
      options_.knows_certificates ? request.peer_certificate.get() : nullptr;
  const bool has_name = certificate != nullptr && !certificate->common_name.empty();
  if (has_name && certificate->is_verified()) return UserOf(*certificate);
  const std::string_view token = ShownToken(request.Find("Authorization"));
  if (!token.empty()) {
    TokenVerdict verdict = VerifyToken(token, {});
    if (verdict.is_known) return std::move(verdict.user);
  }
  if (is_open()) return Administrator();
  // What was shown and is not believed makes nobody anonymous.
  const bool has_shown = !token.empty() || (certificate != nullptr && !certificate->is_verified());
  if (has_shown || !options_.asks_roles) return Unauthorized();
  return Anonymous();
}

Outcome<User> AccessControl::Impersonate(const User& user, const net::ServerRequest& request,
                                         const Attributes& attributes) {
  return impersonation_.Check(user, request.headers, attributes, [this](const User& requestor, const Attributes& wish) {
    return Authorize(requestor, wish);
  });
}

Decision AccessControl::Authorize(const User& user, const Attributes& attributes) const {
  if (!options_.asks_roles) return {.is_allowed = true, .reason = {}};
  return roles_ ? roles_->Authorize(user, attributes) : Decision{};
}

HeldRules AccessControl::RulesOf(const User& user, const std::string& ns) const {
  if (!options_.asks_roles) return {.rules = AllRules(), .error = {}};
  return roles_ ? roles_->RulesOf(user, ns) : HeldRules{};
}

Outcome<void> AccessControl::CheckGrant(const User& user, const Resource& resource, const std::string& ns,
                                        const std::string& name, const Json& object, const Json* old) const {
  if (!roles_) return {};
  BERTH_CHECK_OK(roles_->CheckGrant(user, resource, ns, name, object, old));
  return CheckParameterRights(catalog_, store_, *roles_, user, resource, object, old);
}

}  // namespace berth::server
