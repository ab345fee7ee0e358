// SPDX-License-Identifier: Apache-2.0
#include "server/access/account_tokens.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <set>
#include <utility>

#include "api/document/field_error.h"
#include "base/base64.h"
#include "base/text.h"
#include "net/sha256.h"
#include "server/access/bearer_token.h"

namespace berth::server {
namespace {

constexpr std::string_view kTokenHeader = R"({"alg":"HS256","typ":"JWT"})";
constexpr std::string_view kLastingIssuer = "kubernetes/serviceaccount";
constexpr std::string_view kLastingClaim = "kubernetes.io/serviceaccount/";
constexpr std::string_view kExtra = "authentication.kubernetes.io/";
constexpr size_t kTokenMax = 16 * 1024;
constexpr int64_t kNanos = 1'000'000'000;

// Base64 as URLs have it, without padding.
std::string EncodeUrl64(std::string_view bytes) {
  std::string text = EncodeBase64(bytes);
  std::ranges::replace(text, '+', '-');
  std::ranges::replace(text, '/', '_');
  text.erase(text.find_last_not_of('=') + 1);
  return text;
}

std::optional<std::string> DecodeUrl64(std::string_view text) {
  std::string padded(text);
  std::ranges::replace(padded, '-', '+');
  std::ranges::replace(padded, '_', '/');
  padded.append((4 - padded.size() % 4) % 4, '=');
  return DecodeBase64(padded);
}

Json RefTo(const StoredObject& object) {
  return Json{{"name", Json::String(object.name())}, {"uid", Json::String(object.uid())}};
}

User UserOfAccount(const AccountName& account, const std::string& uid) {
  User user{.name = UserNameOf(account), .uid = uid, .groups = AccountGroups(account.ns), .extra = {}};
  user.AddGroup(kAuthenticatedGroup);
  return user;
}

void SetExtra(User& user, std::string_view name, const std::string& value) {
  if (!value.empty()) user.extra[std::string(kExtra) + std::string(name)] = {value};
}

// Whether it was to go a while ago, though something holds it.
bool IsOverdue(const StoredObject& object, Time now) {
  constexpr Duration kLeeway = Minutes(1);
  if (!object.is_being_deleted()) return false;
  const TreePtr tree = object.tree();
  const Result<Time> end = ParseTime((*tree)["metadata"]["deletionTimestamp"].text());
  return end && *end < now - kLeeway;
}

std::vector<std::string> Common(const std::vector<std::string>& left, const std::vector<std::string>& right) {
  const std::set<std::string_view> known(right.begin(), right.end());
  std::vector<std::string> common;
  std::ranges::copy_if(left, std::back_inserter(common), [&](const std::string& each) { return known.contains(each); });
  return common;
}

}  // namespace

AccountTokens::AccountTokens(const Catalog& catalog, const Store& store, std::string key)
    : catalog_(catalog), store_(store), key_(std::move(key)) {}

std::string AccountTokens::Sign(std::string_view text) const {
  const auto digest = net::Sha256Under(key_, text);
  return EncodeUrl64({reinterpret_cast<const char*>(digest.data()), digest.size()});
}

bool AccountTokens::IsThere(std::string_view plural, std::string_view ns, const Json& ref, Time now) const {
  const ObjectPtr found = store_.Find(catalog_.Get("", plural), ns, ref["name"].text());
  return found != nullptr && found->uid() == ref["uid"].text() && !IsOverdue(*found, now);
}

Outcome<Json> AccountTokens::BoundClaims(const Order& order) const {
  Json claims = Json::MakeMap();
  const Json& ref = order.bound_to;
  if (ref.is_null()) return claims;
  const std::string& kind = ref["kind"].text();
  const std::string& name = ref["name"].text();
  const std::string_view plural = kind == "Pod" ? "pods" : kind == "Secret" ? "secrets" : kind == "Node" ? "nodes" : "";
  if (plural.empty() || ref["apiVersion"].text() != "v1") {
    return BadRequest(fmt::format("cannot bind token to object of type {}{}, Kind={}",
                                  ref["apiVersion"].text().contains('/') ? "" : "/", ref["apiVersion"].text(), kind));
  }
  const Resource& resource = catalog_.Get("", plural);
  const ObjectPtr bound = store_.Find(resource, resource.namespaced ? order.account.ns : "", name);
  if (bound == nullptr) return NotFound(resource, name);
  const TreePtr tree = bound->tree();
  if (kind == "Pod" && (*tree)["spec"]["serviceAccountName"].text() != order.account.name) {
    return BadRequest(
        fmt::format("cannot bind token for serviceaccount {} to pod running with different serviceaccount name.",
                    api::GoQuote(order.account.name)));
  }
  const std::string& uid = ref["uid"].text();
  if (!uid.empty() && uid != bound->uid()) {
    return Refusal(StatusError{
        .code = 409,
        .reason = "Conflict",
        .message =
            fmt::format("Operation cannot be fulfilled on {} {}: the UID in the bound object reference ({}) does "
                        "not match the UID in record. The object might have been deleted and then recreated",
                        kind, api::GoQuote(name), uid),
        .has_details = true,
        .name = name,
        .kind = kind});
  }
  claims.Set(kind == "Pod" ? "pod" : kind == "Secret" ? "secret" : "node", RefTo(*bound));
  const std::string& node_name = (*tree)["spec"]["nodeName"].text();
  if (kind == "Pod" && !node_name.empty()) {
    const ObjectPtr node = store_.Find(catalog_.Get("", "nodes"), "", node_name);
    claims.Set("node", node != nullptr ? RefTo(*node) : Json{{"name", Json::String(node_name)}});
  }
  return claims;
}

Outcome<std::string> AccountTokens::Issue(const Order& order) const {
  const Resource& accounts = catalog_.Get("", "serviceaccounts");
  const ObjectPtr account = store_.Find(accounts, order.account.ns, order.account.name);
  if (account == nullptr) return NotFound(accounts, order.account.name);
  Json own = BERTH_TRY(BoundClaims(order));
  own.Set("namespace", order.account.ns);
  own.Set("serviceaccount", RefTo(*account));
  const int64_t now = order.now.nanos / kNanos;
  const Json claims{{"aud", TextList(order.audiences)},
                    {"exp", Json::Int((order.now + order.lifetime).nanos / kNanos)},
                    {"iat", Json::Int(now)},
                    {"iss", Json::String(kAudience)},
                    {"jti", Json::String(order.id)},
                    {"kubernetes.io", std::move(own)},
                    {"nbf", Json::Int(now)},
                    {"sub", Json::String(UserNameOf(order.account))}};
  const std::string text = EncodeUrl64(kTokenHeader) + "." + EncodeUrl64(claims.ToText());
  return text + "." + Sign(text);
}

TokenVerdict AccountTokens::Verify(std::string_view token, const std::vector<std::string>& audiences, Time now) const {
  const size_t last = token.rfind('.');
  const size_t first = token.find('.');
  if (token.size() > kTokenMax || first == last) return {};
  const std::optional<std::string> payload = DecodeUrl64(token.substr(first + 1, last - first - 1));
  const bool is_signed = IsSameSecret(Sign(token.substr(0, last)), token.substr(last + 1));
  if (!payload) return {};
  const Result<Json> claims = ParseTree(*payload);
  if (!claims) return {};
  if (is_signed) return VerifySigned(*claims, audiences, now);
  if ((*claims)["iss"].text() == kLastingIssuer) return VerifyLasting(token, *claims, audiences);
  return {};
}

TokenVerdict AccountTokens::VerifySigned(const Json& claims, const std::vector<std::string>& audiences,
                                         Time now) const {
  const auto refuse = [](std::string why) { return TokenVerdict{.error = std::move(why)}; };
  std::vector<std::string> own;
  for (const Json& audience : claims["aud"].items()) own.push_back(audience.text());
  std::vector<std::string> common = Common(own, audiences);
  if (common.empty()) {
    const auto list = [](const std::vector<std::string>& texts) {
      std::string quoted;
      for (const std::string& text : texts) quoted += (quoted.empty() ? "" : " ") + api::GoQuote(text);
      return "[" + quoted + "]";
    };
    return refuse(fmt::format("token audiences {} is invalid for the target audiences {}", list(own), list(audiences)));
  }
  if (claims["exp"].IntOr(0) <= now.nanos / kNanos) return refuse("service account token has expired");
  const Json& places = claims["kubernetes.io"];
  const Json& account_ref = places["serviceaccount"];
  const AccountName account{.ns = places["namespace"].text(), .name = account_ref["name"].text()};
  const Resource& accounts = catalog_.Get("", "serviceaccounts");
  const ObjectPtr found = store_.Find(accounts, account.ns, account.name);
  if (found == nullptr) return refuse(NotFound(accounts, account.name).error().message);
  if (found->uid() != account_ref["uid"].text()) {
    return refuse(
        fmt::format("service account UID ({}) does not match claim ({})", found->uid(), account_ref["uid"].text()));
  }
  if (IsOverdue(*found, now)) {
    return refuse(fmt::format("service account {}/{} has been deleted", account.ns, account.name));
  }
  const bool is_of_pod = places.Has("pod");
  const bool is_bound_away = (is_of_pod && !IsThere("pods", account.ns, places["pod"], now)) ||
                             (places.Has("secret") && !IsThere("secrets", account.ns, places["secret"], now)) ||
                             (!is_of_pod && places.Has("node") && !IsThere("nodes", "", places["node"], now));
  if (is_bound_away) return refuse("service account token has been invalidated");
  User user = UserOfAccount(account, found->uid());
  user.extra[std::string(kCredentialId)] = {"JTI=" + claims["jti"].text()};
  for (const std::string_view kind : {"pod", "node"}) {
    SetExtra(user, std::string(kind) + "-name", places[kind]["name"].text());
    SetExtra(user, std::string(kind) + "-uid", places[kind]["uid"].text());
  }
  return {.is_known = true, .user = std::move(user), .audiences = std::move(common)};
}

TokenVerdict AccountTokens::VerifyLasting(std::string_view token, const Json& claims,
                                          const std::vector<std::string>& audiences) const {
  const auto claim = [&](std::string_view name) -> const std::string& {
    return claims[std::string(kLastingClaim) + std::string(name)].text();
  };
  const auto refuse = [](std::string why) { return TokenVerdict{.error = std::move(why)}; };
  const AccountName account{.ns = claim("namespace"), .name = claim("service-account.name")};
  const std::string& uid = claim("service-account.uid");
  const ObjectPtr secret = store_.Find(catalog_.Get("", "secrets"), account.ns, claim("secret.name"));
  if (secret == nullptr || secret->is_being_deleted()) return refuse("Token has been invalidated");
  const TreePtr tree = secret->tree();
  const Json& annotations = (*tree)["metadata"]["annotations"];
  const std::optional<std::string> kept = DecodeBase64((*tree)["data"]["token"].text());
  const bool is_its = (*tree)["type"].text() == "kubernetes.io/service-account-token" &&
                      annotations["kubernetes.io/service-account.name"].text() == account.name;
  if (!is_its || !kept || kept->empty() || !IsSameSecret(*kept, token)) {
    return refuse("Token does not match server's copy");
  }
  const Resource& accounts = catalog_.Get("", "serviceaccounts");
  const ObjectPtr found = store_.Find(accounts, account.ns, account.name);
  if (found == nullptr) return refuse(NotFound(accounts, account.name).error().message);
  if (found->uid() != uid) {
    return refuse(fmt::format("ServiceAccount UID ({}) does not match claim ({})", found->uid(), uid));
  }
  std::vector<std::string> common = Common({std::string(kAudience)}, audiences);
  if (common.empty()) return {};
  return {.is_known = true, .user = UserOfAccount(account, uid), .audiences = std::move(common)};
}

}  // namespace berth::server
